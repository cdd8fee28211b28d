from __future__ import annotations

from typing import TYPE_CHECKING

from driftgate.cells import Tier
from driftgate.contracts.base import Breach, Severity
from driftgate.contracts.upstream.base import ReleaseContract

if TYPE_CHECKING:
    from collections.abc import Iterator

    from driftgate.contracts.upstream.base import Evidence

_WORKSPACE = "MNNVLAllReduceFusionWorkspace"
_STAGES = 2
_VECTOR_BYTES = 16  # kernels load rows in such pieces

CONTRACT = ReleaseContract(
    title="Each stage of each buffer begins where vectors may be loaded",
    why=(
        "The second stage of two-shot begins between two vectors: a misaligned address on "
        "the device"
    ),
    severity=Severity.CRASH,
    incidents=("I55",),
    exercises=("odd_sizes",),
    tier=Tier.WHEEL,
)


def check(seen: Evidence) -> Iterator[Breach]:
    """Look for a buffer that is no whole number of vectors in each of its two stages."""
    for record in seen.played("odd_sizes"):
        rest = record["bytes"] % (_STAGES * _VECTOR_BYTES)
        if rest:
            expected = (
                f"buffers of whole {_STAGES} x {_VECTOR_BYTES} bytes for {record['made for']}"
            )
            yield Breach(expected, f"{record['bytes']} bytes, {rest} too many", _WORKSPACE)
