from __future__ import annotations

from typing import TYPE_CHECKING

from driftgate.contracts.base import CREATE, Breach, Contract, Family, Severity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from driftgate.contracts.base import Evidence

CONTRACT = Contract(
    title="A growth refused during capture leaves the workspace in use",
    why="The graph captured so far refers to it; giving it up parts this rank from its peers",
    severity=Severity.CRASH,
    family=Family.LIFECYCLE,
    environments=("h100_capture",),
    incidents=("I74", "I76"),
    needs=("can_use",),
)


def check(seen: Evidence) -> Iterator[Breach]:
    """Look at the question asked after the refused growth, and at the one without a workspace."""
    for step in seen.steps("can_use"):
        if "after_growth" in step.args and (step.outcome != "ok" or not step.value["answer"]):
            yield Breach("still in use", f"{step.outcome}: {step.value}", CREATE)
        if "no_workspace" in step.args and (step.outcome != "ok" or step.value["answer"]):
            yield Breach("refused", f"{step.outcome}: {step.value}", CREATE)
