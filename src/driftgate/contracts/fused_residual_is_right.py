from __future__ import annotations

from typing import TYPE_CHECKING

from driftgate.contracts.base import FUSION, TOLERANCE, Breach, Contract, Family, Severity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from driftgate.contracts.base import Evidence

CONTRACT = Contract(
    title="The fused residual is sum + residual",
    why="The next layer starts from it: an error grows with depth",
    severity=Severity.WRONG_RESULT,
    family=Family.NUMERICS,
    environments=("h100", "h100_subgroup", "h100_fp32", "b200", "b200_subgroup", "b200_cutedsl"),
    incidents=("I64",),
    needs_active=True,
)


def check(seen: Evidence) -> Iterator[Breach]:
    """Compare with plain torch in float64."""
    for step in seen.steps("fused"):
        if step.outcome == "ok" and step.value.get("residual_error", 0) > TOLERANCE:
            yield Breach("the residual by plain torch", f"{step.value}", FUSION)
