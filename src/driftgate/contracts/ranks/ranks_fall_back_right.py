from __future__ import annotations

from typing import TYPE_CHECKING

from driftgate.cells import Tier
from driftgate.contracts.base import Breach, Contract, Family, Severity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from driftgate.ranks.evidence import RankEvidence

CONTRACT = Contract(
    title="Where fusion is refused, the engine's own all-reduce still gives the right sum",
    why="What a broken agreement leaves behind, the next collective may take for its own",
    severity=Severity.WRONG_RESULT,
    family=Family.NUMERICS,
    environments=("*",),
    tiers=(Tier.MULTIRANK,),
)


def check(seen: RankEvidence) -> Iterator[Breach]:
    """Look at every plain all-reduce."""
    for trace in seen.ranks:
        for step in trace.steps("plain"):
            if step.outcome != "ok":
                yield Breach("the sum over the group", f"{step.outcome}: {step.value}")
            elif step.value["badness"] > 1:
                yield Breach(
                    "the sum over the group by plain torch in float64",
                    f"{step.value['badness']:.3g} times the allowed error",
                )
