from __future__ import annotations

from typing import TYPE_CHECKING

from driftgate.cells import Tier
from driftgate.contracts.base import CREATE, Breach, Severity
from driftgate.contracts.upstream.base import ReleaseContract

if TYPE_CHECKING:
    from collections.abc import Iterator

    from driftgate.contracts.upstream.base import Evidence

CONTRACT = ReleaseContract(
    title="What it has to say it logs, and prints nothing",
    why="Lines of every rank in an engine's output, which nobody can turn off",
    severity=Severity.NOISE,
    exercises=("quiet_life",),
    by_backend=True,
    tier=Tier.WHEEL,
)


def check(seen: Evidence) -> Iterator[Breach]:
    """Look at what was printed over a workspace's life."""
    for backend, record in seen.played("quiet_life").items():
        printed = record["printed"]
        if printed and seen.counts(backend):
            yield Breach(
                f"{backend}: no lines printed", f"{len(printed)}, first {printed[0]!r}", CREATE
            )
