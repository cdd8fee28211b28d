from __future__ import annotations

from typing import TYPE_CHECKING

from driftgate.cells import Tier
from driftgate.contracts.base import Breach, Contract, Family, Severity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from driftgate.ranks.evidence import RankEvidence

CONTRACT = Contract(
    title="No rank is still waiting for its peers at the limit",
    why="A server that hangs at start-up or in a layer says nothing, and is killed minutes later",
    severity=Severity.HANG,
    family=Family.LIVENESS,
    environments=("*",),
    incidents=("I11", "I12", "I14", "I18", "I75"),
    tiers=(Tier.MULTIRANK,),
)


def check(seen: RankEvidence) -> Iterator[Breach]:
    """Name the call and the group that each hanging rank was in."""
    for trace in seen.hung():
        site = trace.inside.site if trace.inside else ""
        yield Breach("every rank done before the limit", trace.where(), site=site)
