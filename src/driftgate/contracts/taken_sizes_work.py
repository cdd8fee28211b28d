from __future__ import annotations

from typing import TYPE_CHECKING

from driftgate.contracts.base import FUSION, TOLERANCE, Breach, Contract, Family, Severity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from driftgate.contracts.base import Evidence

CONTRACT = Contract(
    title="The fused operation works at every size it is taken for",
    why=(
        "A strategy that is forced needs other room, or other token counts, than the size check"
        " was asked about"
    ),
    severity=Severity.CRASH,
    family=Family.NUMERICS,
    environments=("h100_sizes", "h100_mnnvl_sizes", "h100_draft"),
    incidents=("I52", "I62"),
    needs_active=True,
)


def check(seen: Evidence) -> Iterator[Breach]:
    """Look at the outcome at each size: declined, or a right norm."""
    for step in seen.steps("fused"):
        if "size" not in step.args:
            continue
        size = f"{step.args['tokens']} x {step.args['hidden']}"
        if step.outcome != "ok":
            yield Breach(
                f"declined, or a right norm of {size}", f"{step.outcome}: {step.value}", FUSION
            )
        elif not step.value["declined"] and step.value["norm_error"] > TOLERANCE:
            yield Breach(f"the norm of {size} by plain torch", f"{step.value}", FUSION)
