from __future__ import annotations

from typing import TYPE_CHECKING

from driftgate.cells import Tier
from driftgate.contracts.base import SIZE_CHECK, Breach, Severity
from driftgate.contracts.upstream.base import ReleaseContract

if TYPE_CHECKING:
    from collections.abc import Iterator

    from driftgate.contracts.upstream.base import Evidence

CONTRACT = ReleaseContract(
    title="A size check keeps neither its workspace nor what it was asked",
    why=(
        "A workspace that was dropped stays mapped for good; an argument that is no key has "
        "no answer"
    ),
    severity=Severity.LEAK,
    incidents=("I10",),
    exercises=("dropped_workspace",),
    by_backend=True,
    tier=Tier.WHEEL,
)


def check(seen: Evidence) -> Iterator[Breach]:
    """Look for a workspace that outlives its last reference, and for the odd argument."""
    for backend, record in seen.played("dropped_workspace").items():
        if not seen.counts(backend):
            continue
        symbol = f"{record['class']}.{SIZE_CHECK}"
        if record["alive"]:
            yield Breach("a dropped workspace dies", "it is alive after its size check", symbol)
        if record["unhashable"]["outcome"] != "ok":
            yield Breach(
                "an answer for a number that is no key", record["unhashable"]["text"], symbol
            )
