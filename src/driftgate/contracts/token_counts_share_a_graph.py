from __future__ import annotations

from typing import TYPE_CHECKING

from driftgate.contracts.base import Breach, Contract, Family, Severity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from driftgate.contracts.base import Evidence

CONTRACT = Contract(
    title="Changing token counts do not compile anew",
    why="Each new batch size would stall the engine for seconds",
    severity=Severity.SILENT_FALLBACK,
    family=Family.COMPILE,
    environments=("compile", "compile_fused"),
    incidents=("I91",),
    needs_active=True,
)


def check(seen: Evidence) -> Iterator[Breach]:
    """Count the compilations over all token counts."""
    for step in seen.steps("compilations"):
        if step.outcome == "ok" and step.value > 1:
            yield Breach("one compilation", f"{step.value}")
