from __future__ import annotations

from typing import TYPE_CHECKING

from driftgate.contracts.base import FUSION, TOLERANCE, Breach, Contract, Family, Severity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from driftgate.contracts.base import Evidence

CONTRACT = Contract(
    title="The fused norm is RMSNorm(sum + residual) x weight",
    why=(
        "Outputs bound to the wrong parameter, or an epsilon or weight left out, are "
        "garbage without an error"
    ),
    severity=Severity.WRONG_RESULT,
    family=Family.NUMERICS,
    environments=("h100", "h100_subgroup", "h100_fp32", "b200", "b200_subgroup", "b200_cutedsl"),
    incidents=("I64",),
    needs_active=True,
)


def check(seen: Evidence) -> Iterator[Breach]:
    """Compare with plain torch in float64."""
    for step in seen.steps("fused"):
        if step.outcome != "ok" or step.value.get("norm_error", 0) > TOLERANCE:
            yield Breach("the norm by plain torch", f"{step.outcome}: {step.value}", FUSION)
