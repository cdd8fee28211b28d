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
    title="The NVLink fabric can be used where NVML says that it is complete and whose it is",
    why="A machine with a fabric goes without, for the first byte of a random identifier",
    severity=Severity.SILENT_FALLBACK,
    exercises=("fabric_records",),
    tier=Tier.WHEEL,
)


def check(seen: Evidence) -> Iterator[Breach]:
    """Compare each answer that was given with the right one."""
    for record in seen.played("fabric_records"):
        if record["said"] and record["said"] != [record["right"]]:
            yield Breach(
                f"{record['right']} for {record['record']}", str(record["said"][0]), _ASKED
            )
