from __future__ import annotations

from typing import TYPE_CHECKING

from driftgate.cells import Tier
from driftgate.contracts.base import Breach, Severity
from driftgate.contracts.upstream.base import ReleaseContract

if TYPE_CHECKING:
    from collections.abc import Iterator

    from driftgate.contracts.upstream.base import Evidence

_SPLIT = "TorchDistBackend.Split"

CONTRACT = ReleaseContract(
    title="Splitting returns on no rank before every rank has its part",
    why=(
        "torch's groups are made without waiting: a rank that goes on, and ends, closes the "
        "connection under a peer that is still connecting"
    ),
    severity=Severity.CRASH,
    exercises=("split_communicator",),
    tier=Tier.WHEEL,
)


def check(seen: Evidence) -> Iterator[Breach]:
    """Look for ranks that met nobody after the last group was made."""
    for record in seen.played("split_communicator"):
        if record["outcome"] == "ok" and record["groups"] and not record["met_after"]:
            got = f"rank {record['rank']} returns from making {record['groups'][-1]}"
            yield Breach("a barrier after the last group is made", got, _SPLIT)
