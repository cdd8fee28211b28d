"""A rank's diary: one JSON line for all that it starts and ends, there even if it is killed."""

from __future__ import annotations

import json
import os
import time
from typing import TYPE_CHECKING, Any

from driftgate.ranks.seen import Inside, RankTrace
from driftgate.trace import Trace

if TYPE_CHECKING:
    from pathlib import Path


class Journal:
    """Written by one rank, a whole line at a time.

    Args:
        path: The file.
    """

    def __init__(self, path: Path) -> None:
        self._descriptor = os.open(path, os.O_CREAT | os.O_WRONLY | os.O_APPEND, 0o600)
        self._started = time.monotonic()

    def begin(self, op: str) -> None:
        """A step begins."""
        self._started = time.monotonic()
        self._write({"begin": op})

    def end(self, step: dict[str, Any]) -> None:
        """A step is over."""
        self._write({"step": step, "took": time.monotonic() - self._started})

    def enter(self, inside: dict[str, Any]) -> None:
        """A collective is entered."""
        self._write({"enter": inside})

    def leave(self) -> None:
        """The collective entered last is left, by a result or by an exception."""
        self._write({"leave": True})

    def close(self, leaks: list[str]) -> None:
        """The rank has done everything."""
        self._write({"leaks": leaks})

    def _write(self, line: dict[str, Any]) -> None:
        os.write(self._descriptor, json.dumps(line).encode() + b"\n")


def read_journal(
    path: Path, server: int, rank: int, *, ended: str, printed: tuple[str, str]
) -> RankTrace:
    """Make a rank's trace of its journal.

    Args:
        path: The file; a rank that died at once left none.
        server: Which world it was in.
        rank: Its global rank.
        ended: How its process ended.
        printed: What it wrote to stderr, and its stacks where it was killed at the limit.
    """
    steps: list[dict[str, Any]] = []
    took: list[float] = []
    entered: list[dict[str, Any]] = []
    unfinished = ""
    leaks: list[str] = []
    closed = False
    for line in path.read_text(encoding="utf-8").splitlines() if path.exists() else []:
        try:
            entry = json.loads(line)
        except json.JSONDecodeError:
            continue  # killed while it wrote
        if "begin" in entry:
            unfinished = entry["begin"]
        elif "step" in entry:
            unfinished, entered = "", []
            steps.append(entry["step"])
            took.append(round(entry["took"], 3))
        elif "enter" in entry:
            entered.append({**entry["enter"], "step": unfinished})
        elif "leave" in entry:
            entered = entered[:-1]
        else:
            leaks, closed = entry["leaks"], True
    end = ended
    if closed:
        end = ""  # killed, if at all, while it waited for its peers to be done
    elif not end:
        end = "ended without finishing"
    inside = entered[-1] if entered and end else None
    return RankTrace(
        server=server,
        rank=rank,
        trace=Trace.from_dict({"steps": steps, "stderr": printed[0], "leaks": leaks}),
        took=tuple(took),
        end=end,
        inside=Inside(**{**inside, "ranks": tuple(inside["ranks"])}) if inside else None,
        unfinished=unfinished,
        stack=printed[1],
    )
