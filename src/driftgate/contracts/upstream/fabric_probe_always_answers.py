from __future__ import annotations

from typing import TYPE_CHECKING

from driftgate.cells import Tier
from driftgate.contracts.base import Breach, Severity
from driftgate.contracts.upstream.base import ReleaseContract

if TYPE_CHECKING:
    from collections.abc import Iterator

    from driftgate.contracts.upstream.base import Evidence

_ASKED = "is_mnnvl_fabric_supported"

CONTRACT = ReleaseContract(
    title="Asking for the NVLink fabric gives an answer, whatever NVML says",
    why="One record that nobody had seen takes down every rank of a server at start-up",
    severity=Severity.CRASH,
    incidents=("I31",),
    exercises=("fabric_records",),
    tier=Tier.WHEEL,
)


def check(seen: Evidence) -> Iterator[Breach]:
    """Look for a record that got no answer."""
    for record in seen.played("fabric_records"):
        if not record["said"]:
            got = f"{record['outcome']}: {record['text']}"
            yield Breach(f"an answer for {record['record']}", got, _ASKED)
