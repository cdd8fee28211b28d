from __future__ import annotations

from typing import TYPE_CHECKING

from driftgate.cells import Tier
from driftgate.contracts.base import CREATE, Breach, Severity
from driftgate.contracts.upstream.base import ReleaseContract

if TYPE_CHECKING:
    from collections.abc import Iterator

    from driftgate.contracts.upstream.base import Evidence

CONTRACT = ReleaseContract(
    title="A workspace lies on the current GPU, whatever the rank",
    why=(
        "An engine whose GPUs do not begin with the first gets memory on another engine's, or none"
    ),
    severity=Severity.CRASH,
    exercises=("another_device",),
    by_backend=True,
    tier=Tier.WHEEL,
)


def check(seen: Evidence) -> Iterator[Breach]:
    """Compare the GPUs that were used with the one that was current."""
    record = seen.played("another_device")
    for backend, made in record["made"].items():
        strangers = [each for each in made["used"] if each != record["current"]]
        if strangers and seen.counts(backend):
            expected = f"{backend}: GPU {record['current']}, which is current, and no other"
            yield Breach(expected, f"GPU {', '.join(map(str, strangers))} as well", CREATE)
