from __future__ import annotations

from typing import TYPE_CHECKING

from driftgate.cells import Tier
from driftgate.contracts.base import FUSION, Breach, Contract, Family, Severity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from driftgate.ranks.evidence import RankEvidence

CONTRACT = Contract(
    title="The fused residual and norm are those of the sum over the group",
    why="A reduction over the wrong peers is garbage without an error, one layer later",
    severity=Severity.WRONG_RESULT,
    family=Family.NUMERICS,
    environments=("*",),
    incidents=("I64",),
    needs_active=True,
    tiers=(Tier.MULTIRANK,),
)


def check(seen: RankEvidence) -> Iterator[Breach]:
    """Compare errors with the bounds that ``driftgate.ranks.numerics`` derives."""
    for trace in seen.ranks:
        for step in trace.steps("fused"):
            if step.outcome != "ok" or step.value["declined"]:
                continue
            for output in ("residual", "norm"):
                badness = step.value[f"{output}_badness"]
                if badness > 1:
                    kind = step.args.get("kind", "noise")
                    yield Breach(
                        f"the {output} by plain torch in float64",
                        f"{badness:.3g} times the allowed error on {kind}",
                        FUSION,
                    )
