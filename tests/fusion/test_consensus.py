from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import torch
import torch.distributed as dist

from flashinfer_comm_fusion.consensus import all_agree
from fusion.processes import run_ranks

if TYPE_CHECKING:
    from fusion.conftest import Ranks


@pytest.mark.parametrize("ballot", [True, False])
def test_without_a_group_a_rank_decides_alone(ballot: bool) -> None:
    assert all_agree(ballot, None) is ballot


def _vote(rank: int, against: tuple[int, ...]) -> bool:
    return all_agree(rank not in against, dist.group.WORLD)


@pytest.mark.parametrize(("against", "expected"), [((), True), ((1,), False), ((0, 1), False)])
def test_one_vote_against_is_enough(against: tuple[int, ...], expected: bool) -> None:
    assert run_ranks(2, _vote, against) == [expected, expected]


def test_a_vote_stays_on_the_cpu_under_a_default_device(ranks: Ranks) -> None:
    """Engines build models inside ``with torch.device(...)``."""
    with torch.device("meta"):
        assert all_agree(True, ranks.whole.cpu_group)


def test_a_vote_that_cannot_be_held_is_lost(
    ranks: Ranks, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("connection closed by peer")

    monkeypatch.setattr(dist, "all_reduce", broken)

    assert not all_agree(True, ranks.whole.cpu_group)
    assert "could not vote" in caplog.text
