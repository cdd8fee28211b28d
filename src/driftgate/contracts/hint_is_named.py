from __future__ import annotations

from typing import TYPE_CHECKING

from driftgate.contracts.base import SIZE_CHECK, Breach, Contract, Family, Severity, by_position

if TYPE_CHECKING:
    from collections.abc import Iterator

    from driftgate.contracts.base import Evidence

CONTRACT = Contract(
    title="The hint is sent by name",
    why="By position, True, False and None all mean two-shot to mnnvl, without an error",
    severity=Severity.WRONG_RESULT,
    family=Family.DIALECT,
    environments=("h100", "b200"),
    incidents=("I1",),
)


def check(seen: Evidence) -> Iterator[Breach]:
    """Look for a fifth argument by position (the sixth with self)."""
    for event in seen.calls(SIZE_CHECK):
        kinds = seen.parameters(event.symbol)
        for name in by_position(event, kinds, allowed=5) if kinds else ():
            yield Breach(f"{name}=…", f"{name} by position", event.symbol, event.site)
