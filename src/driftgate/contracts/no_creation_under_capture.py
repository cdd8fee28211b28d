from __future__ import annotations

from typing import TYPE_CHECKING

from driftgate.contracts.base import CREATE, Breach, Contract, Family, Severity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from driftgate.contracts.base import Evidence

CONTRACT = Contract(
    title="No workspace is made while a graph is captured",
    why="Creation is collective and allocates: it invalidates the capture, or hangs in it",
    severity=Severity.CRASH,
    family=Family.LIFECYCLE,
    environments=("h100_capture", "h100_capture_failed"),
    incidents=(
        "I74",
        "I76",
    ),
)


def check(seen: Evidence) -> Iterator[Breach]:
    """Look for creations and allocations while capturing."""
    for step in seen.steps():
        if not step.args.get("capturing"):
            continue
        for event in step.events:
            if event.symbol == CREATE or event.kind in {"alloc", "rendezvous"}:
                yield Breach("nothing new", event.kind, event.symbol, event.site)
