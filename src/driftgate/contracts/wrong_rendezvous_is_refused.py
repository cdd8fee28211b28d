from __future__ import annotations

from typing import TYPE_CHECKING

from driftgate.contracts.base import CREATE, Breach, Contract, Family, Severity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from driftgate.contracts.base import Evidence

CONTRACT = Contract(
    title="Where the rendezvous is wrong or cannot be told, no creation is tried",
    why="Trying it is the hang",
    severity=Severity.HANG,
    family=Family.TOPOLOGY,
    environments=("h100_subgroup", "b200_subgroup"),
    incidents=("I11",),
)


def check(seen: Evidence) -> Iterator[Breach]:
    """Look for creations where the shape is known to rendezvous wrongly, or not known at all."""
    if not seen.expected_reason().startswith("rendezvous-"):
        return
    for event in seen.calls(CREATE):
        yield Breach("no creation", "a creation", CREATE, event.site)
    for event in seen.trace.events(kind="kernel"):
        yield Breach("no kernel", "a kernel ran", event.symbol)
