from __future__ import annotations

from typing import TYPE_CHECKING

from driftgate.cells import Tier
from driftgate.contracts.base import CREATE, Breach, Severity
from driftgate.contracts.upstream.base import ReleaseContract

if TYPE_CHECKING:
    from collections.abc import Iterator

    from driftgate.contracts.upstream.base import Evidence

CONTRACT = ReleaseContract(
    title="A workspace that reduces over multicast has a multicast pointer",
    why="Kernels write through a null pointer: an illegal memory access at graph capture",
    severity=Severity.CRASH,
    incidents=("I72",),
    exercises=("null_multicast",),
    tier=Tier.WHEEL,
)


def check(seen: Evidence) -> Iterator[Breach]:
    """Look for a creation that went well without."""
    for machine, record in seen.played("null_multicast").items():
        if record["outcome"] == "ok":
            yield Breach(f"no workspace on {machine}", "a workspace", CREATE)
