from __future__ import annotations

from typing import TYPE_CHECKING

from driftgate.cells import Tier
from driftgate.contracts.base import Breach, Severity
from driftgate.contracts.upstream.base import ReleaseContract

if TYPE_CHECKING:
    from collections.abc import Iterator

    from driftgate.contracts.upstream.base import Evidence

_MEMORY = "SymmDeviceMemory"

CONTRACT = ReleaseContract(
    title="Servers with equal seeds bind different sockets",
    why=("The second server on a machine finds the address in use, and goes on without fusion"),
    severity=Severity.SILENT_FALLBACK,
    incidents=("I47",),
    exercises=("equal_seeds",),
    tier=Tier.WHEEL,
)


def check(seen: Evidence) -> Iterator[Breach]:
    """Look for an address that two servers have bound."""
    first, *others = (set(server["bound"]) for server in seen.played("equal_seeds"))
    for address in sorted(first.intersection(*others)):
        yield Breach("an address of its own for each server", f"both bind {address}", _MEMORY)
