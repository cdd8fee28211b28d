from __future__ import annotations

from typing import TYPE_CHECKING

from driftgate.cells import Tier
from driftgate.contracts.base import FUSION, Breach, Contract, Family, Severity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from driftgate.ranks.evidence import RankEvidence

CONTRACT = Contract(
    title="Inputs that are not contiguous, or that hold no tokens, never go to the fused kernels",
    why="Kernels take rows to be dense and at least one: others are misread, or raise on one rank",
    severity=Severity.WRONG_RESULT,
    family=Family.NUMERICS,
    environments=("*_numerics",),
    needs_active=True,
    tiers=(Tier.MULTIRANK,),
)
_ODD = ("not contiguous", "no tokens")


def check(seen: RankEvidence) -> Iterator[Breach]:
    """Look at what was done with such inputs."""
    for trace in seen.ranks:
        for step in trace.steps("all_reduce", "fused"):
            fused = step.outcome != "ok" or not (step.value or {}).get("declined", False)
            if step.args.get("kind") in _ODD and fused:
                yield Breach("refused", f"{step.op} of {step.args['kind']} input", FUSION)
