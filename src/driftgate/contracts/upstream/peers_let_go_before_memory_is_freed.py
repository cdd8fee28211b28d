from __future__ import annotations

from typing import TYPE_CHECKING

from driftgate.cells import Tier
from driftgate.contracts.base import Breach, Severity
from driftgate.contracts.upstream.base import ReleaseContract

if TYPE_CHECKING:
    from collections.abc import Iterator

    from driftgate.contracts.upstream.base import Evidence

_FREE = "free_shared_buffer"

CONTRACT = ReleaseContract(
    title="A peer's memory is let go before anybody frees it",
    why=(
        "Memory that is freed while a peer has it mapped is undefined, and its mapping is "
        "never given back"
    ),
    severity=Severity.LEAK,
    exercises=("shared_buffer",),
    tier=Tier.WHEEL,
)


def check(seen: Evidence) -> Iterator[Breach]:
    """Look at what became of the peer's buffer before the own one was freed."""
    record = seen.played("shared_buffer")
    calls = record["calls"]
    freed = calls.index("cudaFree own") if "cudaFree own" in calls else len(calls)
    if "cudaIpcCloseMemHandle peer" not in calls[:freed]:
        yield Breach(
            "the peer's mapping closed, then the own buffer freed", ", ".join(calls), _FREE
        )
