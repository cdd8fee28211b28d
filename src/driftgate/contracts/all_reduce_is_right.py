from __future__ import annotations

from typing import TYPE_CHECKING

from driftgate.contracts.base import FUSION, TOLERANCE, Breach, Contract, Family, Severity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from driftgate.contracts.base import Evidence

CONTRACT = Contract(
    title="The all-reduce is the sum over the group",
    why="A missing, doubled or foreign reduction is garbage without an error",
    severity=Severity.WRONG_RESULT,
    family=Family.NUMERICS,
    environments=("h100", "h100_subgroup", "h100_fp32", "b200", "b200_subgroup", "b200_cutedsl"),
    incidents=("I64",),
    needs_active=True,
    needs=("all_reduce",),
)


def check(seen: Evidence) -> Iterator[Breach]:
    """Compare with plain torch in float64."""
    for step in seen.steps("all_reduce"):
        if "odd" not in step.args and (step.outcome != "ok" or step.value["error"] > TOLERANCE):
            yield Breach("the sum over the group", f"{step.outcome}: {step.value}", FUSION)
