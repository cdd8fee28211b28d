from __future__ import annotations

from typing import TYPE_CHECKING

from driftgate.cells import Tier
from driftgate.contracts.base import FUSION, Breach, Contract, Family, Severity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from driftgate.ranks.evidence import RankEvidence

CONTRACT = Contract(
    title="A kernel that fails on one rank is an error on every rank, and never another path",
    why="A rank that goes on by itself leaves its peers in the kernel, for ever",
    severity=Severity.HANG,
    family=Family.LIVENESS,
    environments=("kernel_raises_*",),
    incidents=("I75",),
    needs_active=True,
    tiers=(Tier.MULTIRANK,),
)


def check(seen: RankEvidence) -> Iterator[Breach]:
    """Look for ranks that got numbers out of the operation whose kernel failed."""
    for trace in seen.ranks:
        operations = trace.steps("all_reduce", "fused")
        if operations and all(step.outcome == "ok" for step in operations):
            yield Breach("an error on every rank", f"none on {trace.name}", FUSION)
