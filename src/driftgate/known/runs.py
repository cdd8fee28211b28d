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
# Verdicts that say whether a contract is kept; what died or was not run says nothing.
_TOLD = {each.value for each in (State.PASS, State.FAIL, State.XFAIL, State.XPASS)}


def seen_in_runs(folder: Path) -> dict[str, list[Seen]]:
    """Return what the newest runs found, by id.

    Of a contract in a cell the newest run's verdict counts: a finding that a later run did not see
    again is gone.

    Args:
        folder: Where runs are kept; it need not exist.
    """
    judged: set[tuple[Cell, str]] = set()
    seen: dict[str, list[Seen]] = defaultdict(list)
    runs = 0
    for file in sorted(folder.glob("*.jsonl"), reverse=True):
        mine = set()
        for square, findings in _verdicts(file):
            mine.add(square)
            if square not in judged:
                for name, finding in findings:
                    seen[name].append(Seen(square[0], finding))
        judged |= mine
        runs += bool(mine)  # other commands write there too
        if runs == _LAST:
            break
    return seen


def _verdicts(file: Path) -> Iterator[tuple[tuple[Cell, str], list[tuple[str, Finding]]]]:
    """Yield each cell and contract of a run with its findings by id.

    Lines that are no such verdict are passed over: of other commands, torn, or damaged. So are
    findings of runs that gave none an id.
    """
    try:
        lines = file.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:  # it is no file, or gone, or somebody else's
        return
    for line in lines:
        with suppress(ValueError, KeyError, TypeError):
            row = json.loads(line)
            if row["state"] in _TOLD:
                yield _square(row), [_finding(each) for each in row["findings"] if "id" in each]


def _square(row: dict[str, Any]) -> tuple[Cell, str]:
    names = [_text(row[key]) for key in ("consumer", "upstream", "environment", "contract")]
    return Cell(names[0], names[1], Tier(row["tier"]), names[2]), names[3]


def _finding(row: dict[str, Any]) -> tuple[str, Finding]:
    parts = {key: _text(value) for key, value in row.items()}
    return parts.pop("id"), Finding(**parts)


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(value)
    return value
