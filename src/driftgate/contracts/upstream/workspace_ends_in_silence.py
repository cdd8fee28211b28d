from __future__ import annotations

from typing import TYPE_CHECKING

from driftgate.cells import Tier
from driftgate.contracts.base import CREATE, Breach, Severity
from driftgate.contracts.upstream.base import ReleaseContract

if TYPE_CHECKING:
    from collections.abc import Iterator

    from driftgate.contracts.upstream.base import Evidence

CONTRACT = ReleaseContract(
    title="An interpreter that ends with a workspace alive writes nothing",
    why="Every rank prints a traceback at each Ctrl-C",
    severity=Severity.NOISE,
    incidents=("I45",),
    exercises=("exit_with_workspace",),
    tier=Tier.WHEEL,
)


def check(seen: Evidence) -> Iterator[Breach]:
    """Look at what was written from the last use of a workspace to the end of the process."""
    ending = seen.outcome.get("exit_with_workspace").ending.strip()
    if ending:
        yield Breach("nothing written at the end", ending.rsplit("\n", maxsplit=1)[-1], CREATE)
