"""Released modules, driven, where their files are in the cache; nothing is fetched by these tests.

What is expected was found by running them by hand on FlashInfer's own Python, or is told in the bug
reports about them; see the incidents that each contract names.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from driftgate.compat import Plan, judge, make_job
from driftgate.contracts import all_rules
from driftgate.environments import read_environments
from driftgate.paths import find_project
from driftgate.released.driven import choose_consumer
from driftgate.upstreams import find_upstream
from driftgate.wheels.store import cache_folder
from driftgate.zygotes import Worker, zygote

if TYPE_CHECKING:
    from collections.abc import Iterator

    from driftgate.findings import ContractResult

PROJECT = find_project(Path(__file__).parent)
ENVIRONMENTS = read_environments(PROJECT.matrix / "environments.toml")


@pytest.fixture(scope="module")
def worker() -> Iterator[Worker]:
    with zygote(1) as (worker,):
        yield worker


def _broken(worker: Worker, consumer: str, upstream: str, environment: str) -> dict[str, str]:
    """What each broken contract got, or a skip where a release is not at hand."""
    project, _, release = consumer.partition("==")
    if not (cache_folder() / "consumers" / project / f"{release}.json").is_file():
        pytest.skip(f"not in the cache; `driftgate calls {consumer}` puts it there")
    chosen, found = choose_consumer(consumer, PROJECT), find_upstream(upstream, PROJECT)
    if found.missing:
        pytest.skip(found.missing)
    (driven,) = worker.drive(make_job(chosen, found, [ENVIRONMENTS[environment]]))
    plan = Plan(chosen, (found,), ENVIRONMENTS, tuple(all_rules().values()))
    results: list[ContractResult] = list(judge(plan, found, driven))
    assert driven.trace is not None, driven.error
    return {
        result.contract: " | ".join(finding.got for finding in result.findings)
        for result in results
        if result.findings
    }


@pytest.mark.parametrize("upstream", ["stub:v0_6_12", "wheel:0.6.12"])
def test_sglang_0_5_15_answers_size_checks_wrongly_both_ways(worker: Worker, upstream: str) -> None:
    """(26, 4992) is accepted and does not fit; (27, 5120) fits and is refused (I1, I52)."""
    broken = _broken(worker, "sglang==0.5.15", upstream, "b200")

    assert "accepted {'tokens': 26, 'hidden': 4992" in broken["accepts_no_more"]
    assert "refused {'tokens': 27, 'hidden': 5120" in broken["refuses_no_more"]
    assert "unexpected keyword argument 'use_oneshot'" in broken["size_check_in_its_dialect"]


@pytest.mark.parametrize("upstream", ["stub:v0_6_12", "wheel:0.6.12"])
def test_sglang_0_5_23_answers_them_rightly(worker: Worker, upstream: str) -> None:
    """The newest release follows the validator."""
    broken = _broken(worker, "sglang==0.5.23", upstream, "b200")

    assert not {"accepts_no_more", "refuses_no_more", "size_check_in_its_dialect"} & set(broken)


@pytest.mark.parametrize("release", ["0.5.14", "0.5.18", "0.5.23"])
def test_sglang_loses_fusion_for_float32(worker: Worker, release: str) -> None:
    """It sends use_fp32_lamport, which no release takes (I8)."""
    broken = _broken(worker, f"sglang=={release}", "stub:v0_7_4", "h100_fp32")

    assert broken["fp32_lamport_never_sent"] == "use_fp32_lamport"
    assert broken["active_where_allowed"] == "degraded(unsaid)"


@pytest.mark.parametrize(
    ("consumer", "upstream", "contract", "is_broken"),
    [
        # Taken from 0.6.8 on, sent whatever the release.
        ("vllm==0.22.0", "stub:v0_6_7", "keyword_not_taken", True),
        ("vllm==0.22.0", "stub:v0_6_8", "keyword_not_taken", False),
        # Taken from 0.6.10.post1 on, sent whatever the release.
        ("sglang==0.5.12", "stub:v0_6_10", "keyword_not_taken", True),
        ("sglang==0.5.12", "stub:v0_6_10_post1", "keyword_not_taken", False),
        # Not sent where it is taken, until 0.24.0.
        ("vllm==0.22.0", "stub:v0_6_11", "group_sent", True),
        ("vllm==0.23.0", "stub:v0_6_12", "group_sent", True),
        ("vllm==0.24.0", "stub:v0_6_12", "group_sent", False),
        ("vllm==0.22.0", "stub:v0_6_10", "group_sent", False),
    ],
)
def test_keywords_break_on_the_right_side(
    worker: Worker, consumer: str, upstream: str, contract: str, *, is_broken: bool
) -> None:
    """A keyword is judged against what the release takes."""
    assert (contract in _broken(worker, consumer, upstream, "h100")) is is_broken


@pytest.mark.parametrize(("release", "is_broken"), [("0.5.0rc2", True), ("0.5.1", False)])
def test_sglang_came_to_hide_its_operation_from_compilers(
    worker: Worker, release: str, *, is_broken: bool
) -> None:
    """It registered the operation with torch within a week of the report (I92)."""
    broken = _broken(worker, f"sglang=={release}", "stub:v0_5_0", "compile_fused")

    assert ("fullgraph_compiles" in broken) is is_broken


@pytest.mark.parametrize(("release", "is_broken"), [("0.5.10", True), ("0.5.23", False)])
def test_sglangs_norm_came_to_reduce_where_fusion_could_not_be_had(
    worker: Worker, release: str, *, is_broken: bool
) -> None:
    """The layer before leaves its all-reduce to the norm, which forgot it (I32)."""
    broken = _broken(worker, f"sglang-norm=={release}", "stub:v0_6_7", "h100_creation_raises")

    assert ("unfused_result_is_right" in broken) is is_broken
    active = _broken(worker, f"sglang-norm=={release}", "stub:v0_6_12", "h100")
    assert not {"active_where_allowed", "fused_norm_is_right"} & set(active)
