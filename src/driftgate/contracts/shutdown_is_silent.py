from __future__ import annotations

from typing import TYPE_CHECKING

from driftgate.contracts.base import Breach, Contract, Family, Severity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from driftgate.contracts.base import Evidence

CONTRACT = Contract(
    title="An interpreter that ends with a workspace alive writes nothing",
    why="Every rank prints a traceback at each Ctrl-C",
    severity=Severity.NOISE,
    family=Family.LIFECYCLE,
    environments=("h100_shutdown",),
    incidents=("I45",),
)


def check(seen: Evidence) -> Iterator[Breach]:
    """Look at stderr, the shutdown's included."""
    if seen.trace.stderr.strip():
        yield Breach("empty stderr", seen.trace.stderr.strip().rsplit("\n", maxsplit=1)[-1])
