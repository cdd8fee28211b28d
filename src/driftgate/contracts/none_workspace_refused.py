from __future__ import annotations

from typing import TYPE_CHECKING

from driftgate.contracts.base import CREATE, Breach, Contract, Family, Severity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from driftgate.contracts.base import Evidence

CONTRACT = Contract(
    title="A creation that returned None counts as failed",
    why="The None is used later, in a kernel call inside a graph",
    severity=Severity.CRASH,
    family=Family.LIFECYCLE,
    environments=("h100", "b200"),
    incidents=(
        "I14",
        "I77",
    ),
)


def check(seen: Evidence) -> Iterator[Breach]:
    """Look at what the consumer says after such a creation."""
    if not any(event.outcome == "ok" and event.value is None for event in seen.calls(CREATE)):
        return
    for step in seen.steps("create"):
        if step.value["made"]:
            yield Breach("no workspace", "a workspace", CREATE)
    for step in seen.steps("can_use"):
        if step.outcome != "ok" or step.value["answer"]:
            yield Breach("refused", f"{step.outcome}: {step.value}", CREATE)
