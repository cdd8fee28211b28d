from __future__ import annotations

from typing import TYPE_CHECKING

from driftgate.contracts.base import Breach, Contract, Family, Severity, TOLERANCE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from driftgate.contracts.base import Evidence

CONTRACT = Contract(
    title="A compiled layer decides as an eager one does",
    why=(
        "A stand-in used while compiling is wrong where the size check is not monotone, "
        "and ranks then part ways"
    ),
    severity=Severity.WRONG_RESULT,
    family=Family.COMPILE,
    environments=("h100_compile", "b200_compile"),
    incidents=(
        "I1",
        "I52",
    ),
    needs_active=True,
)


def check(seen: Evidence) -> Iterator[Breach]:
    """Compare the decisions over the grid, and the results of one compiled layer."""
    for step in seen.steps("decide"):
        if step.outcome == "ok" and step.value["eager"] != step.value["compiling"]:
            yield Breach(f"{step.value['eager']} for {step.args}", f"{step.value['compiling']}")
    for step in seen.steps("compiled"):
        error = step.value["error"] if step.outcome == "ok" else None
        if error is not None and error > TOLERANCE:
            yield Breach("the eager result", f"{step.value} for {step.args['tokens']} tokens")
