"""Run one case: fork every rank, wait to the limit, tell who hangs where, leave nobody behind."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import tempfile
import time
import traceback
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from driftgate.drive.fork import become_child, explain
from driftgate.ranks.cases import walk_ranks
from driftgate.ranks.journal import read_journal
from driftgate.ranks.seen import HANG

if TYPE_CHECKING:
    from collections.abc import Callable

    from driftgate.ranks.cases import Case
    from driftgate.ranks.seen import RankTrace

STACK_SIGNAL = signal.SIGUSR1
_POLL = 0.005
_STACK_WAIT = 0.3  # seconds; writing a stack takes milliseconds


@dataclass(frozen=True)
class Place:
    """Where one rank keeps its things while a case runs.

    Attributes:
        folder: The case's own.
        server: Which world the rank is in.
        rank: Its global rank.
    """

    folder: Path
    server: int
    rank: int

    @property
    def store(self) -> Path:
        """The file that the ranks of one world meet over."""
        return self.folder / f"store-{self.server}"

    @property
    def journal(self) -> Path:
        """The rank's journal."""
        return self._own("journal")

    @property
    def stack(self) -> Path:
        """Where its stacks go when it is asked for them."""
        return self._own("stack")

    @property
    def output(self) -> Path:
        """What it prints."""
        return self._own("output")

    @property
    def ready(self) -> Path:
        """A file that is there once the rank is in all of its groups."""
        return self._own("ready")

    @property
    def done(self) -> Path:
        """A file that is there once the rank is done, or dead."""
        return self._own("done")

    def _own(self, kind: str) -> Path:
        return self.folder / f"{kind}-{self.server}-{self.rank}"


def run_world(
    case: Case, folder: Path, limit: float, work: Callable[[Place], None]
) -> tuple[RankTrace, ...]:
    """Fork every rank of a case and return what each of them left.

    A rank that is still there after ``limit`` seconds is asked for its stacks and killed. No
    rank outlives this call, nor this process.

    Args:
        case: What is driven.
        folder: Where the case may keep things while it runs.
        limit: Seconds.
        work: What a rank does, in its own process; the process ends when it returns.
    """
    with tempfile.TemporaryDirectory(dir=folder) as own:
        places = [Place(Path(own), server, rank) for server, rank in walk_ranks(case.topology)]
        alive = {_start(place, work): place for place in places}
        ends: dict[Place, str] = {}
        deadline = time.monotonic() + limit
        while alive and time.monotonic() < deadline:
            _reap(alive, ends)
            time.sleep(_POLL)
        _end_all(alive, ends)
        return tuple(
            read_journal(
                place.journal,
                place.server,
                place.rank,
                ended=ends[place],
                printed=(_text(place.output), _text(place.stack)),
            )
            for place in places
        )


def _start(place: Place, work: Callable[[Place], None]) -> int:
    pid = os.fork()
    if pid:
        return pid
    output = os.open(place.output, os.O_CREAT | os.O_WRONLY | os.O_APPEND, 0o600)
    become_child(output)
    status = 1
    try:
        work(place)
        status = 0
    except BaseException:  # noqa: BLE001 - nothing may go up into the parent's own code
        traceback.print_exc()
    sys.stderr.flush()
    os._exit(status)


def _reap(alive: dict[int, Place], ends: dict[Place, str]) -> None:
    for pid in list(alive):
        done, status = os.waitpid(pid, os.WNOHANG)
        if done:
            place = alive.pop(pid)
            ends[place] = explain(status)
            place.done.touch()  # nobody waits for the dead


def _end_all(alive: dict[int, Place], ends: dict[Place, str]) -> None:
    """Have the stacks of those that are left, and kill them."""
    written = {place: _size(place.journal) for place in alive.values()}
    for pid in alive:
        os.kill(pid, STACK_SIGNAL)
    if alive:
        time.sleep(_STACK_WAIT)
    for pid, place in alive.items():
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        ends[place] = HANG
        if place.journal.exists():
            # The signal may have interrupted what the rank was waiting in.
            os.truncate(place.journal, written[place])


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8", errors="replace") if path.exists() else ""
