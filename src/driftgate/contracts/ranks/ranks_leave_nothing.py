from __future__ import annotations

from typing import TYPE_CHECKING

from driftgate.cells import Tier
from driftgate.contracts.base import Breach, Contract, Family, Severity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from driftgate.ranks.evidence import RankEvidence
    from driftgate.ranks.seen import RankTrace

CONTRACT = Contract(
    title="After a cleanup no rank holds handles, threads or sockets of its workspaces",
    why="What is left behind keeps device memory, or keeps a peer's connection open for ever",
    severity=Severity.LEAK,
    family=Family.LIFECYCLE,
    environments=("*",),
    incidents=("I73",),
    tiers=(Tier.MULTIRANK,),
)


def check(seen: RankEvidence) -> Iterator[Breach]:
    """Look at what was found on each rank."""
    for trace in seen.ranks:
        for step in trace.steps("leftovers"):
            for leak in step.value:
                if not _is_upstreams(leak, trace, seen):
                    yield Breach("nothing", f"{leak} on {trace.name}")


def _is_upstreams(leak: str, trace: RankTrace, seen: RankEvidence) -> bool:
    """Whether no consumer could help it: upstream cannot free it, or does not come back."""
    trouble = seen.case.trouble
    struck_by = trouble.id if trouble and seen.struck(trace) else ""
    if struck_by == "destroy_raises":
        return leak.startswith("handles")
    begun, met = (
        sum(event.args["over"] != "comm_backend" for event in trace.trace.events(kind=kind))
        for kind in ("meeting", "rendezvous")
    )
    return (struck_by == "create_hangs" or begun > met) and not leak.startswith("sockets")
