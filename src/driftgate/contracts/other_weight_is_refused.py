from __future__ import annotations

from typing import TYPE_CHECKING

from driftgate.contracts.base import FUSION, TOLERANCE, Breach, Contract, Family, Severity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from driftgate.contracts.base import Evidence

CONTRACT = Contract(
    title="A norm weight of another data type is not fused, or fused rightly",
    why="The kernels read the weight as if it had the input's type, and nothing upstream checks it",
    severity=Severity.WRONG_RESULT,
    family=Family.NUMERICS,
    environments=("h100_fp32_weight", "b200_fp32_weight"),
    incidents=("I61",),
    needs_active=True,
    needs=("other_weight",),
)


def check(seen: Evidence) -> Iterator[Breach]:
    """Look at the fused operation whose weight is of another type than its input."""
    for step in seen.steps("fused"):
        if "other_weight" not in step.args:
            continue
        if step.outcome != "ok":
            yield Breach("declined, or a right norm", f"{step.outcome}: {step.value}", FUSION)
        elif not step.value["declined"] and step.value["norm_error"] > TOLERANCE:
            yield Breach("the norm by plain torch", f"{step.value}", FUSION)
