from __future__ import annotations

from typing import TYPE_CHECKING

from driftgate.cells import Tier
from driftgate.contracts.base import SIZE_CHECK, Breach, Severity
from driftgate.contracts.upstream.base import ReleaseContract

if TYPE_CHECKING:
    from collections.abc import Iterator

    from driftgate.contracts.upstream.base import Evidence

CONTRACT = ReleaseContract(
    title="A size check that says no says nothing else",
    why="An engine that asks per layer and size prints tens of thousands of warnings",
    severity=Severity.NOISE,
    incidents=("I57",),
    exercises=("quiet_life",),
    by_backend=True,
    tier=Tier.WHEEL,
)


def check(seen: Evidence) -> Iterator[Breach]:
    """Look at what one refusal logged above INFO, or printed."""
    for backend, record in seen.played("quiet_life").items():
        said = record["refusal"]
        if said and seen.counts(backend):
            got = said[0].splitlines()[0]
            yield Breach(f"{backend}: an answer and no line", got, SIZE_CHECK)
