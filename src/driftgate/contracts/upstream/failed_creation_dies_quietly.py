from __future__ import annotations

from typing import TYPE_CHECKING

from driftgate.cells import Tier
from driftgate.contracts.base import Breach, Severity
from driftgate.contracts.upstream.base import ReleaseContract

if TYPE_CHECKING:
    from collections.abc import Iterator

    from driftgate.contracts.upstream.base import Evidence

CONTRACT = ReleaseContract(
    title="What is left of a failed creation raises nothing when it dies",
    why="A second traceback hides the first, which says why there is no workspace",
    severity=Severity.NOISE,
    exercises=("failed_creations",),
    tier=Tier.WHEEL,
)


def check(seen: Evidence) -> Iterator[Breach]:
    """Look at what the remains of each failed creation raised."""
    for record in seen.played("failed_creations"):
        for raised in record["raised"]:
            yield Breach(
                f"{record['made']} with {record['fault']}: remains that die", raised, record["made"]
            )
