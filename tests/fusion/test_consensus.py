"""Ranks that agree, disagree, die, or never come."""

from __future__ import annotations

import gc
import os
import signal
import socket
import time
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import torch
import torch.distributed as dist
from torch.distributed.distributed_c10d import PrefixStore

from flashinfer_comm_fusion.consensus import Council
from fusion.processes import KILLED, run_ranks

if TYPE_CHECKING:
    from fusion.conftest import Ranks

PATIENCE = 20.0


@pytest.mark.parametrize("ballot", [True, False])
def test_without_a_group_a_rank_decides_alone(ballot: bool) -> None:
    assert Council(None, PATIENCE).agree(lambda: ballot) is ballot


def _vote(rank: int, against: tuple[int, ...]) -> bool:
    return Council(dist.group.WORLD, PATIENCE).agree(lambda: rank not in against)


@pytest.mark.parametrize("against", [(), (1,), (0, 1, 2)])
def test_one_vote_against_is_enough(against: tuple[int, ...]) -> None:
    assert run_ranks(3, _vote, against) == [not against] * 3


def _undecided(rank: int) -> tuple[bool, int]:
    asked = 0

    def ballot() -> bool | None:
        nonlocal asked
        asked += 1
        return None if rank == 1 and asked < 5 else True

    return Council(dist.group.WORLD, PATIENCE).agree(ballot), asked


def test_ranks_that_know_wait_for_one_that_does_not_know_yet() -> None:
    """Four rounds without an outcome, one in which all say yes, and one that confirms it."""
    assert run_ranks(2, _undecided) == [(True, 6), (True, 6)]


def _freed(rank: int) -> bool:
    """Rank 1 would never come to know; rank 0 says no, which is enough for both."""
    return Council(dist.group.WORLD, PATIENCE).agree(lambda: False if rank == 0 else None)


def test_a_rank_that_says_no_frees_those_that_do_not_know() -> None:
    assert run_ranks(2, _freed) == [False, False]


def _killed(rank: int) -> Any:
    council = Council(dist.group.WORLD, PATIENCE)
    assert council.agree(lambda: True)
    if rank == 2:
        os.kill(os.getpid(), signal.SIGKILL)
    started = time.monotonic()
    agreed = council.agree(lambda: True)
    return agreed, time.monotonic() - started < PATIENCE / 2, council.agree(lambda: True)


def test_a_rank_that_is_killed_ends_the_vote_of_all_others_at_once() -> None:
    """They lose that vote without waiting for their patience to end, and every later one."""
    assert run_ranks(3, _killed) == [(False, True, False), (False, True, False), KILLED]


def _late(rank: int) -> bool:
    """Rank 1 comes when rank 0 has given up: neither may go on alone."""
    world = dist.group.WORLD
    assert world is not None
    store = PrefixStore("test", world.get_group_store())
    council = Council(dist.group.WORLD, 1.0)
    assert council.agree(lambda: True)
    if rank == 1:
        store.wait(["gave up"], timedelta(seconds=60))
        return council.agree(lambda: True)
    agreed = council.agree(lambda: True)
    store.set("gave up", "yes")
    return agreed


def test_a_rank_that_comes_too_late_does_not_go_on_alone() -> None:
    assert run_ranks(2, _late) == [False, False]


def _leave(_: int) -> list[bool]:
    def sockets() -> int:
        gc.collect()
        fds = [int(path.name) for path in Path("/proc/self/fd").iterdir()]
        return sum(_is_socket(fd) for fd in fds)

    before = sockets()
    council = Council(dist.group.WORLD, PATIENCE)
    council.agree(lambda: True)
    held = sockets()
    council.close()
    deadline = time.monotonic() + PATIENCE
    while sockets() > before and time.monotonic() < deadline:
        pass  # gloo closes them in a thread of its own
    return [held > before, sockets() > before]


def _is_socket(descriptor: int) -> bool:
    try:
        socket.socket(fileno=os.dup(descriptor)).close()
    except OSError:
        return False
    return True


def test_a_closed_council_holds_no_connection() -> None:
    assert run_ranks(2, _leave) == [[True, False], [True, False]]


def _twice(_: int) -> list[bool]:
    """Councils of one group after each other, as after a cleanup, and two at once."""
    first, second = Council(dist.group.WORLD, PATIENCE), Council(dist.group.WORLD, PATIENCE)
    answers = [second.agree(lambda: True), first.agree(lambda: True)]
    first.close()
    return [*answers, Council(dist.group.WORLD, PATIENCE).agree(lambda: True)]


def test_councils_of_one_group_do_not_hear_each_other() -> None:
    assert run_ranks(2, _twice) == [[True] * 3, [True] * 3]


def _beside_the_engine(rank: int) -> Any:
    """An engine's collective on the council's own group, begun on one rank before the vote."""
    council = Council(dist.group.WORLD, PATIENCE)
    tensor = torch.full((4,), float(rank + 1))
    work = dist.all_reduce(tensor, async_op=True) if rank == 0 else None
    agreed = council.agree(lambda: True)
    work = work or dist.all_reduce(tensor, async_op=True)
    assert work is not None
    work.wait()
    return agreed, tensor.tolist()


def test_votes_are_no_messages_of_the_engines_group() -> None:
    assert run_ranks(2, _beside_the_engine) == [(True, [3.0] * 4), (True, [3.0] * 4)]


def test_a_group_that_only_pretends_votes_over_itself(ranks: Ranks) -> None:
    council = Council(ranks.whole.cpu_group, PATIENCE)

    assert council.agree(lambda: True)
    assert not council.can_wait


def test_a_vote_stays_on_the_cpu_under_a_default_device(ranks: Ranks) -> None:
    """Engines build models inside ``with torch.device(...)``."""
    with torch.device("meta"):
        assert Council(ranks.whole.cpu_group, PATIENCE).agree(lambda: True)


def test_a_vote_that_cannot_be_held_is_lost(
    ranks: Ranks, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("connection closed by peer")

    monkeypatch.setattr(dist, "all_reduce", broken)

    assert not Council(ranks.whole.cpu_group, PATIENCE).agree(lambda: True)
    assert "could not vote" in caplog.text
