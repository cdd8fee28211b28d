from __future__ import annotations

from typing import TYPE_CHECKING

from driftgate.cells import Tier
from driftgate.contracts.base import Breach, Contract, Family, Severity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from driftgate.ranks.evidence import RankEvidence

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
    trouble = seen.case.trouble
    for trace in seen.ranks:
        undestroyed = trouble and "destroy_raises" in trouble.faults and seen.struck(trace)
        for step in trace.steps("leftovers"):
            for leak in step.value:
                # What the upstream cannot free, no consumer can.
                if not (undestroyed and leak.startswith("handles")):
                    yield Breach("nothing", f"{leak} on {trace.name}")
