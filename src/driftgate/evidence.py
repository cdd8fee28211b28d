"""What a run came to, as a dated file below ``matrix/evidence/`` that can be committed."""

from __future__ import annotations

import datetime as dt
import json
import platform
from collections import Counter, defaultdict
from dataclasses import dataclass
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from packaging.version import Version

from driftgate.cells import Tier
from driftgate.errors import InvalidDataError
from driftgate.findings import State

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from driftgate.findings import ContractResult
    from driftgate.stubtree.behaviour import ReleaseBehaviour

FIDELITY = "fidelity"
WHEELS = "wheels"
_ALL_IS_WELL = {State.PASS.value, State.NOT_RUN.value}


def write_fidelity(folder: Path, results: Iterable[ReleaseBehaviour]) -> Path:
    """Write how stubs and releases answered; return the file."""
    rows = [
        {
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
        for result in results
    ]
    return _write(folder, FIDELITY, rows)


def write_wheels(folder: Path, results: Iterable[ContractResult]) -> Path:
    """Write what consumers came to on each real release; return the file."""
    by_pair: dict[tuple[str, str], list[ContractResult]] = defaultdict(list)
    for result in results:
        if result.cell.tier is Tier.WHEEL:
            by_pair[result.cell.consumer, result.cell.upstream].append(result)
    rows = [
        {
            "release": upstream.partition(":")[2],
            "consumer": consumer,
            "states": dict(sorted(Counter(each.state.value for each in found).items())),
            "fusion": {each.cell.environment: each.activity for each in found if each.activity},
            "standins": sorted({name for each in found for name in each.standins}),
            "findings": sorted({each.contract for each in found if each.findings}),
        }
        for (consumer, upstream), found in by_pair.items()
    ]
    return _write(folder, WHEELS, rows)


def _write(folder: Path, kind: str, rows: list[dict[str, Any]]) -> Path:
    """Write a line about the run and one a row; a second run on the same day replaces the first."""
    today = dt.datetime.now(tz=dt.timezone.utc).date().isoformat()
    run = {"date": today, "python": platform.python_version(), "torch": version("torch")}
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{kind}-{today}.jsonl"
    text = "".join(json.dumps(row) + "\n" for row in [run, *rows])
    path.write_text(text, encoding="utf-8")
    return path


@dataclass(frozen=True)
class Supported:
    """What the evidence of the wheel tier supports for one consumer.

    Attributes:
        releases: FlashInfer releases on which fusion ran and every contract was kept.
        torch: The versions of torch that they ran with.
    """

    releases: frozenset[str]
    torch: frozenset[Version]


def read_supported(folder: Path, consumer: str) -> Supported:
    """Return what the newest evidence of the wheel tier supports.

    Args:
        folder: ``matrix/evidence/``.
        consumer: Whose rows count.

    Raises:
        InvalidDataError: There is none, or it is damaged.
    """
    files = sorted(folder.glob(f"{WHEELS}-*.jsonl"))
    if not files:
        raise InvalidDataError(folder, "no evidence of the wheel tier", "write it with compat")
    try:
        run, *rows = map(json.loads, files[-1].read_text(encoding="utf-8").splitlines())
        releases = frozenset(
            row["release"]
            for row in rows
            if row["consumer"] == consumer
            and row["states"].keys() <= _ALL_IS_WELL
            and "active" in row["fusion"].values()
        )
        return Supported(releases, frozenset({Version(Version(run["torch"]).public)}))
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise InvalidDataError(files[-1], f"damaged ({error})", "write it anew") from error
