from __future__ import annotations

from typing import TYPE_CHECKING

from driftgate.cells import Tier
from driftgate.contracts.base import Breach, Severity
from driftgate.contracts.upstream.base import ReleaseContract

if TYPE_CHECKING:
    from collections.abc import Iterator

    from driftgate.contracts.upstream.base import Evidence

CONTRACT = ReleaseContract(
    title="A workspace that is destroyed and dropped leaves no memory behind",
    why=("An engine that sleeps, or makes a larger one, keeps the memory of the old one for good"),
    severity=Severity.LEAK,
    exercises=("destroyed_workspace",),
    by_backend=True,
    tier=Tier.WHEEL,
)


def check(seen: Evidence) -> Iterator[Breach]:
    """Look at the allocations that are left."""
    for backend, record in seen.played("destroyed_workspace").items():
        if record["left"] and seen.counts(backend):
            got = f"{record['left']} of {record['made']} allocations left"
            yield Breach(f"{backend}: nothing left", got, f"{backend} workspace.destroy")
