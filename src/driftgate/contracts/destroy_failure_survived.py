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
    environments=("h100_kernel_raises",),
    incidents=("I45",),
)


def check(seen: Evidence) -> Iterator[Breach]:
    """Look at both cleanups and at the question after them."""
    for step in seen.steps("cleanup"):
        if step.outcome != "ok":
            yield Breach("no exception", f"{step.outcome}: {step.value}", "destroy")
    for step in seen.steps("can_use"):
        if step.args.get("after_cleanup") and (step.outcome != "ok" or step.value["answer"]):
            yield Breach("refused after cleanup", f"{step.outcome}: {step.value}", "destroy")
