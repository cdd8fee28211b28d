from __future__ import annotations

from typing import TYPE_CHECKING

from driftgate.contracts.base import Breach, Contract, Family, Severity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from driftgate.contracts.base import Evidence

CONTRACT = Contract(
    title="Importing the consumer succeeds, whatever importing the upstream does",
    why="An engine that imports the module at start-up dies with it, fusion wanted or not",
    severity=Severity.CRASH,
    family=Family.IMPORT,
    environments=("h100",),
    incidents=(
        "I3",
        "I4",
        "I9",
        "I22",
        "I29",
    ),
)


def check(seen: Evidence) -> Iterator[Breach]:
    """Look at the step that loads the consumer."""
    for step in seen.steps("load"):
        if step.outcome != "ok":
            yield Breach("the import succeeds", f"{step.outcome}: {step.value}")
