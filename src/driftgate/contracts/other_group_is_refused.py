from __future__ import annotations

from typing import TYPE_CHECKING

from driftgate.contracts.base import Breach, Contract, Family, Severity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from driftgate.contracts.base import Evidence

CONTRACT = Contract(
    title="Another group of the same size is refused",
    why="The workspace reduces over its own peers, whoever calls: garbage without an error",
    severity=Severity.WRONG_RESULT,
    family=Family.TOPOLOGY,
    environments=("h100", "b200"),
    incidents=("I64",),
    needs=("other_group",),
)


def check(seen: Evidence) -> Iterator[Breach]:
    """Look at the question asked for a group that the workspace was not made for."""
    for step in seen.steps("can_use_other_group"):
        if step.outcome != "ok" or step.value:
            yield Breach("refused", f"{step.outcome}: {step.value}")
