from __future__ import annotations

from typing import TYPE_CHECKING

from driftgate.contracts.base import Breach, Contract, Family, Severity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from driftgate.contracts.base import Evidence

CONTRACT = Contract(
    title="A workspace that cannot be destroyed does no further harm",
    why="Cleanup runs on error paths: an exception there hides the first one",
    severity=Severity.CRASH,
    family=Family.LIFECYCLE,
    environments=("h100_destroy_raises",),
    incidents=("I45",),
)


def check(seen: Evidence) -> Iterator[Breach]:
    """Look at every step of that life."""
    for step in seen.steps():
        if step.outcome != "ok":
            yield Breach(f"{step.op} raises nothing", f"{step.outcome}: {step.value}", "destroy")
    for step in seen.steps("can_use"):
        if step.args.get("after_cleanup") and step.outcome == "ok" and step.value["answer"]:
            yield Breach("refused after cleanup", "accepted", "destroy")
