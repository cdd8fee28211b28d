"""The findings in the results of the last runs."""

from __future__ import annotations

import json
from collections import defaultdict
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from driftgate.cells import Cell, Tier
from driftgate.findings import Finding, State
from driftgate.known.model import Seen

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

# Runs that are looked at: each is up to a few thousand rows.
_LAST = 40


def seen_in_runs(folder: Path) -> dict[str, list[Seen]]:
    """Return what the newest runs found, by id.

    Of a contract in a cell the newest run's verdict counts: a finding that a later run did not see
    again is gone.

    Args:
        folder: Where runs are kept; it need not exist.
    """
    judged: set[tuple[Cell, str]] = set()
    seen: dict[str, list[Seen]] = defaultdict(list)
    for file in sorted(folder.glob("*.jsonl"), reverse=True)[:_LAST]:
        mine = set()
        for row in _rows(file):
            square = _square(row)
            if square is None or square in judged or row["state"] == State.NOT_RUN.value:
                continue
            mine.add(square)
            for name, finding in _findings(row):
                seen[name].append(Seen(square[0], finding))
        judged |= mine
    return seen


def _rows(file: Path) -> Iterator[dict[str, Any]]:
    """Yield the rows of a file, up to where a run is still writing it or died."""
    with file.open(encoding="utf-8", errors="replace") as lines, suppress(ValueError):
        yield from map(json.loads, lines)


def _square(row: dict[str, Any]) -> tuple[Cell, str] | None:
    """Return the cell and the contract; None for a row about something else."""
    try:
        cell = Cell(row["consumer"], row["upstream"], Tier(row["tier"]), row["environment"])
        return cell, row["contract"]
    except (KeyError, ValueError):
        return None


def _findings(row: dict[str, Any]) -> Iterator[tuple[str, Finding]]:
    """Yield findings by id; those of runs that gave none are left out."""
    for each in row["findings"]:
        parts = dict(each)
        name = parts.pop("id", None)
        if name is not None:
            yield name, Finding(**parts)
