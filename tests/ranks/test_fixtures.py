"""Each contract about several ranks against a consumer that breaks it and one that keeps it."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from driftgate.consumers import OURS, find_consumer
from driftgate.contracts import rank_rules
from driftgate.paths import find_project
from driftgate.ranks.cases import read_cases
from driftgate.ranks.evidence import RankEvidence
from driftgate.ranks.run import ZYGOTE, drive_ranks, make_job
from driftgate.toml import read_toml
from driftgate.upstreams import find_upstream
from driftgate.zygotes import Worker, zygote

if TYPE_CHECKING:
    from collections.abc import Iterator

    from driftgate.findings import Finding

FIXTURES = Path(__file__).parents[1] / "fixtures"
PROJECT = find_project(Path(__file__).parent)
CASES = read_cases(PROJECT.matrix / "topologies.toml")
# Shorter than a run's: a bad consumer that hangs is waited for as long.
LIMIT = 12.0


@dataclass(frozen=True)
class Cell:
    consumer: str
    upstream: str
    case: str


class Gallery:
    """Drives a cell once, however many contracts look at it."""

    def __init__(self, worker: Worker, folder: str) -> None:
        self._worker = worker
        self._folder = folder
        self._seen: dict[Cell, RankEvidence] = {}

    def see(self, cell: Cell) -> RankEvidence:
        if cell not in self._seen:
            file = f"file:{FIXTURES / 'consumers' / cell.consumer}.py"
            consumer = find_consumer(OURS if cell.consumer == OURS else file)
            upstream = find_upstream(cell.upstream, PROJECT)
            job = make_job(consumer, upstream, [CASES[cell.case]], self._folder, LIMIT)
            (driven,) = drive_ranks(self._worker, job)
            assert not driven.error
            self._seen[cell] = RankEvidence(driven.case, upstream, driven.ranks)
        return self._seen[cell]

    def findings(self, contract: str, cell: Cell) -> tuple[Finding, ...]:
        rule = rank_rules()[contract]
        assert any(fnmatchcase(cell.case, pattern) for pattern in rule.contract.environments)
        seen = self.see(cell)
        assert seen.is_active() or not rule.contract.needs_active, "would not be judged at all"
        return rule.judge(seen)


@pytest.fixture(scope="module")
def gallery() -> Iterator[Gallery]:
    with tempfile.TemporaryDirectory() as folder, zygote(1, ZYGOTE) as (worker,):
        yield Gallery(worker, folder)


def _cell(contract: str, kind: str) -> Cell:
    return Cell(**read_toml(FIXTURES / "ranks" / f"{contract}.toml")[kind])


def test_every_contract_has_its_cells() -> None:
    """No contract without a consumer that breaks it, and no cell without a contract."""
    assert {path.stem for path in FIXTURES.glob("ranks/*.toml")} == set(rank_rules())


@pytest.mark.parametrize("contract", list(rank_rules()))
def test_the_bad_consumer_is_caught(gallery: Gallery, contract: str) -> None:
    """A contract finds what it is for."""
    assert gallery.findings(contract, _cell(contract, "bad"))


@pytest.mark.parametrize("contract", list(rank_rules()))
def test_the_good_consumer_passes(gallery: Gallery, contract: str) -> None:
    """A contract finds nothing in a consumer that keeps it."""
    assert gallery.findings(contract, _cell(contract, "good")) == ()


@pytest.mark.parametrize(
    ("consumer", "said"),
    [
        ("specialises_on_tokens", "3 for the all_reduce layer"),
        ("breaks_the_graph", "graph_break"),
        ("asks_while_compiling", "flashinfer/comm/allreduce.py for the all_reduce layer"),
        ("reduces_twice", "times the allowed error for 19 tokens"),
    ],
)
def test_what_is_wrong_with_compiling_is_told_for_each_rank(
    gallery: Gallery, consumer: str, said: str
) -> None:
    """Three token counts, so three graphs where each is a constant; a break; tracing; numbers."""
    cell = Cell(consumer, "stub:v0_7_4", "h100_tp2_compiled")
    told = [finding.got for finding in gallery.findings("ranks_compile_alike", cell)]

    for rank in ("rank 0", "rank 1"):
        assert any(said in got and rank in got for got in told)


def test_a_hang_names_the_call_and_the_group_of_each_rank(gallery: Gallery) -> None:
    """Three ranks wait for the fourth, which could not make a workspace and told nobody."""
    seen = gallery.see(Cell("skips_the_vote", "stub:v0_6_11", "create_raises_on_one"))
    hung = {trace.rank: trace for trace in seen.hung()}

    assert {0, 1, 2} <= hung.keys()
    for rank in (0, 1, 2):
        inside = hung[rank].inside
        assert inside is not None
        assert inside.call == "rendezvous of trtllm_create_ipc_workspace_for_all_reduce_fusion"
        assert (inside.ranks, inside.step) == ((0, 1, 2, 3), "create")
        assert "create_allreduce_fusion_workspace" in hung[rank].stack


def test_a_world_that_never_comes_is_waited_for_until_the_limit(gallery: Gallery) -> None:
    """Ranks 2 and 3 of four meet over WORLD; 0 and 1 do not know of it."""
    seen = gallery.see(Cell("sends_the_world", "stub:v0_6_11", "h100_upper"))

    assert [trace.rank for trace in seen.hung()] == [2, 3]
    assert {trace.inside.ranks for trace in seen.hung() if trace.inside} == {(0, 1, 2, 3)}
