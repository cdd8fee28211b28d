"""A run's results as JSON Lines: readable while it runs, complete up to where it died."""

from __future__ import annotations

import json
import os
import time
from collections import Counter
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, Protocol, TextIO

from driftgate.errors import ResultsUnwritableError, RunInterruptedError
from driftgate.findings import State

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from driftgate.findings import ContractResult


class Row(Protocol):
    """What can be written as one line."""

    def as_dict(self) -> dict[str, Any]:
        """Return plain containers, for JSON."""


class ResultFile:
    """Rows of one run, written as they come. A context manager.

    Args:
        folder: Where runs are kept; made when needed.

    Raises:
        ResultsUnwritableError: The folder, or a row of the file, cannot be written.
        RunInterruptedError: The run was interrupted, once all that was written is on disk.

    Attributes:
        path: The run's file.
    """

    def __init__(self, folder: Path) -> None:
        self.path = new_path(folder)
        with _told(folder):
            folder.mkdir(parents=True, exist_ok=True)
            self._file: TextIO = self.path.open("w", encoding="utf-8")

    def __enter__(self) -> ResultFile:  # noqa: PYI034 - Self is 3.11's
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        with suppress(OSError):  # a row that is not on disk was told when it was written
            self._file.close()
        if kind is KeyboardInterrupt:
            raise RunInterruptedError(self.path)

    def write(self, result: Row) -> None:
        """Append one result and hand it to the operating system."""
        with _told(self.path):
            self._file.write(line_of(result))
            self._file.flush()


def new_path(folder: Path) -> Path:
    """Return where this run's results go: a name of its own; names sort by when runs began."""
    stem = f"{time.strftime('%Y%m%dT%H%M%S')}-{os.getpid()}"
    path, number = folder / f"{stem}.jsonl", 1
    while path.exists():
        number += 1
        path = folder / f"{stem}-{number}.jsonl"
    return path


def line_of(result: Row) -> str:
    """Return one result's line."""
    return json.dumps(result.as_dict()) + "\n"


@contextmanager
def _told(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise ResultsUnwritableError(path, (error.strerror or "unwritable").lower()) from error


def summary(results: Iterable[ContractResult], problems: int, seconds: float) -> str:
    """Return a run's last line.

    Args:
        results: Every verdict of the run.
        problems: Expectation rows that are wrong; each counts as an error.
        seconds: How long the run took.
    """
    results = list(results)
    count = Counter(result.state for result in results)
    cells = {result.cell for result in results}
    figures = {
        "cells": len(cells),
        "pass": count[State.PASS],
        "fail": count[State.FAIL],
        "xfail": count[State.XFAIL],
        "error": count[State.ERROR] + count[State.XPASS] + problems,
        "not-run": count[State.NOT_RUN],
        "seconds": f"{seconds:.1f}",
    }
    return "summary: " + " ".join(f"{name}={figure}" for name, figure in figures.items())
