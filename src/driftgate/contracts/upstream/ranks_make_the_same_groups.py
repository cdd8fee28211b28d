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
    title="Splitting makes every group on every rank, in one order",
    why=(
        "torch names groups by a counter: ranks that make only their own meet under one "
        "name, and hang"
    ),
    severity=Severity.HANG,
    exercises=("split_communicator",),
    tier=Tier.WHEEL,
)


def check(seen: Evidence) -> Iterator[Breach]:
    """Compare the groups that each rank made with those of the first."""
    first, *others = seen.played("split_communicator")
    for record in others:
        if record["groups"] != first["groups"]:
            expected = (
                f"rank {record['rank']} makes {first['groups']}, as rank {first['rank']} does"
            )
            yield Breach(expected, f"{record['groups']}", _SPLIT)
