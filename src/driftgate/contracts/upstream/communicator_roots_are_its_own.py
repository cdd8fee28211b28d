from __future__ import annotations

from typing import TYPE_CHECKING

from driftgate.cells import Tier
from driftgate.contracts.base import Breach, Severity
from driftgate.contracts.upstream.base import ReleaseContract

if TYPE_CHECKING:
    from collections.abc import Iterator

    from driftgate.contracts.upstream.base import Evidence

_BCAST = "TorchDistBackend.bcast"

CONTRACT = ReleaseContract(
    title="A communicator's root counts within its group",
    why=(
        "A group without global rank 0 gets no workspace; one that overlaps gets another "
        "rank's data"
    ),
    severity=Severity.HANG,
    incidents=("I14",),
    exercises=("subgroup_communicator",),
    tier=Tier.WHEEL,
)


def check(seen: Evidence) -> Iterator[Breach]:
    """Compare the rank that a broadcast drew on with the one that the root is within the group."""
    for record in seen.played("subgroup_communicator"):
        ranks, root = record["ranks"], record["root"]
        if record["sources"] != [ranks[root]]:
            drawn = f"that of {record['sources']}" if record["sources"] else record["failed"]
            expected = f"root {root} of the group {ranks}: the data of global rank {ranks[root]}"
            yield Breach(expected, drawn, _BCAST)
