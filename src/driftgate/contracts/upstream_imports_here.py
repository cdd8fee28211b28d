from __future__ import annotations

from typing import TYPE_CHECKING

from driftgate.cells import Tier
from driftgate.contracts.base import Breach, Contract, Family, Severity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from driftgate.contracts.base import Evidence

CONTRACT = Contract(
    title="The release can be imported by this interpreter",
    why="What it declares to support it does not, and fusion is off wherever that is installed",
    severity=Severity.SILENT_FALLBACK,
    family=Family.IMPORT,
    environments=("h100",),
    incidents=("I29",),
    tiers=(Tier.WHEEL,),
)


def check(seen: Evidence) -> Iterator[Breach]:
    """Look at how the import of ``flashinfer.comm`` ended, before the consumer's."""
    if seen.refused():
        yield Breach("flashinfer.comm is imported", seen.refused())
