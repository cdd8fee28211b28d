"""What a comparison of stubs and releases came to, as a dated file that can be committed."""

from __future__ import annotations

import datetime as dt
import json
import platform
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from driftgate.stubtree.behaviour import ReleaseBehaviour


def write_evidence(folder: Path, results: Iterable[ReleaseBehaviour]) -> Path:
    """Write one JSON line about the run, and one for each release; return the file.

    A second run on the same day replaces the first.
    """
    results = list(results)
    today = dt.datetime.now(tz=dt.timezone.utc).date().isoformat()
    torch = next((result.torch for result in results if result.torch), "")
    run = {"date": today, "python": platform.python_version(), "torch": torch}
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"fidelity-{today}.jsonl"
    rows = [run, *(_row(result) for result in results)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def _row(result: ReleaseBehaviour) -> dict[str, Any]:
    return {
        "release": result.release,
        "stub": result.stub,
        "state": result.state,
        "reason": result.not_run or result.error,
        "probes": result.probes,
        "questions": result.questions,
        "standins": list(result.standins),
        "differences": [
            {"probe": each.probe, "parts": sorted(each.fields), "reason": each.reason}
            for each in result.differences
        ],
    }
