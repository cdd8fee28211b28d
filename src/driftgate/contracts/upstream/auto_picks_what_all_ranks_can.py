from __future__ import annotations

from typing import TYPE_CHECKING

from driftgate.cells import Tier
from driftgate.contracts.base import CREATE, Breach, Severity
from driftgate.contracts.upstream.base import ReleaseContract

if TYPE_CHECKING:
    from collections.abc import Iterator

    from driftgate.contracts.upstream.base import Evidence

_OVER_MULTICAST = "mnnvl"

CONTRACT = ReleaseContract(
    title="Left to choose, it takes multicast only where every rank has it",
    why="Ranks without it hang in the rendezvous of the backend that was chosen, or write nowhere",
    severity=Severity.HANG,
    incidents=("I19",),
    exercises=("auto_backend",),
    tier=Tier.WHEEL,
)


def check(seen: Evidence) -> Iterator[Breach]:
    """Look at what was chosen where some rank has no multicast, or fell over on the way."""
    for record in seen.played("auto_backend"):
        chosen = record["chosen"]
        if chosen == _OVER_MULTICAST:
            yield Breach(f"{record['case']}: another backend, or none", chosen, CREATE)
