"""A run's results as JSON Lines: readable while it runs, complete up to where it died."""

from __future__ import annotations

import json
import os
import time
from collections import Counter
from typing import TYPE_CHECKING, TextIO

from driftgate.findings import State

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from driftgate.findings import ContractResult


class ResultFile:
    """Rows of one run, written as they come. A context manager.

    Args:
        folder: Where runs are kept; made when needed.

    Attributes:
        path: The run's file.
    """

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.path = folder / f"{time.strftime('%Y%m%dT%H%M%S')}-{os.getpid()}.jsonl"
        self._file: TextIO = self.path.open("w", encoding="utf-8")

    def __enter__(self) -> ResultFile:  # noqa: PYI034 - Self is 3.11's
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def write(self, result: ContractResult) -> None:
        """Append one result and hand it to the operating system."""
        self._file.write(json.dumps(result.as_dict()) + "\n")
        self._file.flush()


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
