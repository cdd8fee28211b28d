from __future__ import annotations

from typing import TYPE_CHECKING

from driftgate.cells import Tier
from driftgate.contracts.base import FUSION, Breach, Contract, Family, Severity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from driftgate.ranks.evidence import RankEvidence

CONTRACT = Contract(
    title="The fused all-reduce is the sum over the group, within the rounding of its dtype",
    why="A lost, doubled or wrongly grouped reduction is garbage without an error",
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
        for step in trace.steps("all_reduce"):
            if step.outcome == "ok" and step.value["badness"] > 1:
                kind = step.args.get("kind", "noise")
                yield Breach(
                    "the sum over the group by plain torch in float64",
                    f"{step.value['badness']:.3g} times the allowed error on {kind}",
                    FUSION,
                )
