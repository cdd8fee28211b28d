from __future__ import annotations

from typing import TYPE_CHECKING

from driftgate.cells import Tier
from driftgate.contracts.base import CREATE, Breach, Contract, Family, Severity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from driftgate.ranks.evidence import RankEvidence

CONTRACT = Contract(
    title="Whatever goes wrong on some rank, all live ranks know what to do within ten seconds",
    why="Waiting for a failed peer until a watchdog ends it takes minutes, and the server with it",
    severity=Severity.HANG,
    family=Family.LIVENESS,
    environments=("*_on_one", "*_on_all"),
    incidents=("I73", "I75"),
    tiers=(Tier.MULTIRANK,),
)
_SECONDS = 10.0


def check(seen: RankEvidence) -> Iterator[Breach]:
    """Look at what all creations took together on each rank."""
    for trace in seen.ranks:
        if trace.seconds_of("create") > _SECONDS:
            yield Breach(
                f"agreed within {_SECONDS:g} s",
                f"{trace.seconds_of('create'):.1f} s on {trace.name}",
                CREATE,
            )
