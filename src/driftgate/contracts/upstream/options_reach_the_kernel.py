from __future__ import annotations

from typing import TYPE_CHECKING

from driftgate.cells import Tier
from driftgate.contracts.base import FUSION, Breach, Severity
from driftgate.contracts.upstream.base import ReleaseContract

if TYPE_CHECKING:
    from collections.abc import Iterator

    from driftgate.contracts.upstream.base import Evidence

CONTRACT = ReleaseContract(
    title="An option that is taken reaches the kernel, or is refused",
    why="An engine tunes a switch that is connected to nothing",
    severity=Severity.SILENT_FALLBACK,
    incidents=("I87",),
    exercises=("given_options",),
    by_backend=True,
    tier=Tier.WHEEL,
)


def check(seen: Evidence) -> Iterator[Breach]:
    """Look for an option whose two values gave one call."""
    for record in seen.played("given_options"):
        refused = [end for end in record["ends"] if end["outcome"] != "ok"]
        one, other = record["told"]
        if one == other and not refused and seen.counts(record["backend"]):
            expected = f"{record['backend']}: {record['option']} heard by the kernel"
            yield Breach(expected, f"{one} for False and for True", FUSION)
