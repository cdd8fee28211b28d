from __future__ import annotations

from typing import TYPE_CHECKING

from driftgate.cells import Tier
from driftgate.contracts.base import FUSION, Breach, Severity
from driftgate.contracts.upstream.base import ReleaseContract

if TYPE_CHECKING:
    from collections.abc import Iterator

    from driftgate.contracts.upstream.base import Evidence

CONTRACT = ReleaseContract(
    title="A call of the size that a workspace was made for has room in each area that it writes",
    why=("A kernel writes over memory that is not its own: corrupted peers, or an illegal access"),
    severity=Severity.WRONG_RESULT,
    incidents=(
        "I51",
        "I63",
    ),
    exercises=("full_workspaces",),
    by_backend=True,
    tier=Tier.WHEEL,
)


def check(seen: Evidence) -> Iterator[Breach]:
    """Look at the kernels that lacked room."""
    for record in seen.played("full_workspaces"):
        if record["lacks"] and seen.counts(record["backend"]):
            yield Breach(f"{record['backend']}: room for {record['case']}", record["lacks"], FUSION)
