"""How ranks wait for each other, outside the collectives that they are tried with."""

from __future__ import annotations

import threading
from pathlib import Path

from driftgate.paths import find_project
from driftgate.ranks.cases import read_cases
from driftgate.ranks.child import wait_for_all
from driftgate.ranks.world import Place

CASE = read_cases(find_project(Path(__file__)).matrix / "topologies.toml")["h100_tp2"]


def _waiting(folder: Path) -> threading.Thread:
    """Rank 0 of two, which is ready and waits for its peer."""
    mine = Place(folder, 0, 0)
    mine.ready.touch()
    thread = threading.Thread(target=wait_for_all, args=(CASE, mine, lambda each: each.ready))
    thread.daemon = True
    thread.start()
    return thread


def test_a_rank_waits_for_one_that_is_not_ready(tmp_path: Path) -> None:
    """It goes on as soon as the peer gives its sign, and not before."""
    thread = _waiting(tmp_path)

    thread.join(0.05)
    assert thread.is_alive()

    Place(tmp_path, 0, 1).ready.touch()
    thread.join(10)
    assert not thread.is_alive()


def test_a_rank_does_not_wait_for_the_dead(tmp_path: Path) -> None:
    """The parent marks who has died as done; nobody hears of its being ready any more."""
    thread = _waiting(tmp_path)

    Place(tmp_path, 0, 1).done.touch()
    thread.join(10)

    assert not thread.is_alive()
