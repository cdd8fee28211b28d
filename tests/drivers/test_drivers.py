"""Other projects' modules, written in our own words, driven over a stub."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from driftgate.compat import make_job
from driftgate.environments import read_environments
from driftgate.errors import DriftgateError
from driftgate.paths import find_project
from driftgate.released.driven import choose_consumer, choose_consumers
from driftgate.upstreams import find_upstream
from driftgate.zygotes import Driven, Worker, zygote

if TYPE_CHECKING:
    from collections.abc import Iterator

    from driftgate.trace import Trace

MODULES = Path(__file__).parents[1] / "fixtures" / "projects"
SGLANG = MODULES / "sglang" / "flashinfer_comm_fusion.py"
PROJECT = find_project(Path(__file__).parent)
ENVIRONMENTS = read_environments(PROJECT.matrix / "environments.toml")


@pytest.fixture(scope="module")
def worker() -> Iterator[Worker]:
    with zygote(1) as (worker,):
        yield worker


def _drive(worker: Worker, consumer: str, environment: str = "h100") -> Driven:
    upstream = find_upstream("stub:v0_7_4", PROJECT)
    chosen = choose_consumer(consumer, PROJECT)
    (driven,) = worker.drive(make_job(chosen, upstream, [ENVIRONMENTS[environment]]))
    return driven


def _trace(worker: Worker, consumer: str, environment: str = "h100") -> Trace:
    driven = _drive(worker, consumer, environment)
    assert driven.trace is not None, driven.error
    return driven.trace


def _steps(trace: Trace, op: str) -> list[tuple[str, object]]:
    return [(step.outcome, step.value) for step in trace.steps if step.op == op]


def _lacks(trace: Trace) -> set[str]:
    return {name for step in trace.steps if step.op == "driver" for name in step.value["lacks"]}


@pytest.mark.parametrize(("project", "backend"), [("sglang", "trtllm"), ("vllm", "trtllm")])
def test_a_module_runs_and_its_numbers_are_measured(
    worker: Worker, project: str, backend: str
) -> None:
    """The fused operation of either project agrees with plain torch; the status is derived."""
    trace = _trace(worker, f"{project}@{MODULES / project}")

    (outcome, value), *_ = _steps(trace, "fused")
    assert outcome == "ok"
    assert isinstance(value, dict)
    assert value["norm_error"] < 1e-2
    status = trace.final_status()
    assert status is not None
    assert (status.active, status.backend) == (True, backend)


def test_call_sites_are_told_by_the_projects_own_paths(worker: Worker) -> None:
    """A finding must be readable by the project's people, wherever the file lay."""
    trace = _trace(worker, f"sglang@{SGLANG}")

    (site,) = {event.site for event in trace.events("create_allreduce_fusion_workspace")}
    assert site.startswith("sglang/srt/layers/flashinfer_comm_fusion.py:")


def test_what_a_release_does_not_have_is_not_asked(worker: Worker) -> None:
    """No step, and no pretended answer, for an operation that the module lacks."""
    sglang = _trace(worker, f"sglang@{MODULES / 'sglang'}")
    vllm = _trace(worker, f"vllm@{MODULES / 'vllm'}")

    assert _lacks(sglang) == {
        "all_reduce",
        "can_use",
        "other_group",
        "resolve_backend",
        "status",
    }
    assert not _steps(sglang, "can_use")
    assert not _steps(sglang, "all_reduce")
    assert _steps(sglang, "check_size")
    assert {"check_size", "open_manager", "other_weight"} < _lacks(vllm)
    assert _steps(vllm, "can_use")


def test_a_communicator_that_was_destroyed_is_not_asked(worker: Worker, tmp_path: Path) -> None:
    """vLLM forgets it then: that it would make a new workspace when asked is nobody's concern."""
    for file in (MODULES / "vllm").iterdir():
        text = file.read_text(encoding="utf-8")
        eager = "make_workspace(256, 1024, tensor.dtype, self.group) is not None"
        changed = text.replace("and _fi_ar_workspace is not None", f"and {eager}")
        (tmp_path / file.name).write_text(changed, encoding="utf-8")

    trace = _trace(worker, f"vllm@{tmp_path}")

    asked = [step for step in trace.steps if step.op == "can_use"]
    assert [step.value["answer"] for step in asked if step.args.get("after_cleanup")] == [False]
    assert any(step.value["answer"] for step in asked)


def test_a_compiled_graph_runs_without_the_pass_that_made_it(worker: Worker) -> None:
    """What vLLM's cache gives back is the fused operation and what the pass had put into it."""
    trace = _trace(worker, f"vllm@{MODULES / 'vllm'}", "h100_cached_graph")

    assert not _steps(trace, "create")
    ((outcome, value),) = _steps(trace, "fused")
    assert outcome == "ok"
    assert isinstance(value, dict)
    assert value["norm_error"] < 1e-2


def test_a_backend_is_asked_for_by_name_only_where_that_is_refused_quietly(worker: Worker) -> None:
    """vLLM raises for a name that cannot be; of what it chooses itself, each machine is asked."""
    vllm = _trace(worker, f"vllm@{MODULES / 'vllm'}", "topology")
    sglang = _trace(worker, f"sglang@{SGLANG}", "topology")

    assert {step.args["backend"] for step in vllm.steps if step.op == "resolve"} == {"auto"}
    assert {step.args["backend"] for step in sglang.steps if step.op == "create"} > {"auto"}


def test_the_engine_answers_for_its_machine(worker: Worker) -> None:
    """SM100 is seen as such, and a subgroup is the group that is sent."""
    b200 = _trace(worker, f"sglang@{SGLANG}", "b200").events("create_allreduce_fusion_workspace")
    part = _trace(worker, f"sglang@{SGLANG}", "h100_subgroup")

    assert b200[0].args["backend"] == "mnnvl"
    assert part.events("create_allreduce_fusion_workspace")[0].args["group"] == {"ranks": [2, 3]}


def test_a_module_is_fresh_each_time_it_is_configured(worker: Worker) -> None:
    """What the first engine of a process left behind, the second does not see."""
    trace = _trace(worker, f"sglang@{SGLANG}", "h100_capture")

    assert [step.value["made"] for step in trace.steps if step.op == "create"][-1] is True
    assert len(trace.events("create_allreduce_fusion_workspace")) == 2


@pytest.mark.parametrize(
    ("before", "after", "gap"),
    [
        (
            "get_parallel().attn_tp_size, token_num",
            "get_parallel().pp_size, token_num",
            "sglang.srt.runtime_context.get_parallel().pp_size",
        ),
        (
            "comm = None",
            "comm = None\nfrom sglang.srt.environ import envs\nenvs.SOMETHING.get()",
            "sglang.srt.environ.envs.SOMETHING",
        ),
    ],
)
def test_an_adapter_gap_is_the_cells_error(
    worker: Worker, tmp_path: Path, before: str, after: str, gap: str
) -> None:
    """Where a stand-in is touched that nobody foresaw, nothing else is said of that cell."""
    text = SGLANG.read_text()
    assert before in text
    (tmp_path / SGLANG.name).write_text(text.replace(before, after))

    driven = _drive(worker, f"sglang@{tmp_path}")

    assert driven.trace is None
    assert driven.error == f"adapter-gap: {gap}"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("def ensure_workspace_initialized(): ...\n", "defines no flashinfer_allreduce_residual_"),
        ("def (:\n", "is no Python module"),
    ],
)
def test_a_file_that_is_no_such_module_is_one_line(tmp_path: Path, text: str, message: str) -> None:
    """The failure says which operation is missing."""
    (tmp_path / SGLANG.name).write_text(text)

    with pytest.raises(DriftgateError, match=message) as caught:
        choose_consumer(f"sglang@{tmp_path}", PROJECT)

    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("spelled", "message"),
    [
        ("sglang@/no/such/place", "holds no flashinfer_comm_fusion.py"),
        ("sglang==newest", "unknown release of sglang"),
        ("trtllm==1.0", "unknown consumer"),
        ("sglang", "unknown consumer"),
    ],
)
def test_a_name_that_spells_nothing_is_one_line(spelled: str, message: str) -> None:
    """What was asked for, and what there is."""
    with pytest.raises(DriftgateError, match=message):
        choose_consumers(spelled, PROJECT)


def test_equal_modules_have_equal_content(tmp_path: Path) -> None:
    """A release that ships the module of another shares its results; one byte more does not."""
    copy = tmp_path / SGLANG.name
    copy.write_text(SGLANG.read_text())
    ours = choose_consumer(f"sglang@{SGLANG}", PROJECT).content

    assert choose_consumer(f"sglang@{copy}", PROJECT).content == ours

    copy.write_text(SGLANG.read_text() + "\n")
    assert choose_consumer(f"sglang@{copy}", PROJECT).content != ours
