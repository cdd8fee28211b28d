from __future__ import annotations

from typing import TYPE_CHECKING

from driftgate.contracts.base import Breach, Contract, Family, Severity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from driftgate.contracts.base import Evidence

CONTRACT = Contract(
    title="Where fusion is off, the status says why",
    why="Nobody can act on a switch that flipped in silence",
    severity=Severity.SILENT_FALLBACK,
    family=Family.STATUS,
    environments=("*",),
    incidents=(
        "I23",
        "I24",
        "I77",
    ),
    needs=("status",),
)


def check(seen: Evidence) -> Iterator[Breach]:
    """Look at every status after the consumer was configured."""
    for step in seen.steps():
        if step.op in {"upstream", "load"} or step.status is None:
            continue
        if not step.status.active and step.status.reason in {"", "unsaid"}:
            yield Breach("a reason code", f"none after {step.op}")
