from __future__ import annotations

from typing import TYPE_CHECKING

from driftgate.cells import Tier
from driftgate.contracts.base import CREATE, Breach, Contract, Family, Severity
from driftgate.ranks.evidence import site_steps

if TYPE_CHECKING:
    from collections.abc import Iterator

    from driftgate.ranks.evidence import RankEvidence

CONTRACT = Contract(
    title="What has failed for a group is tried again by none of its ranks",
    why="A retry in each layer costs a time-out each, or is a collective in a graph capture",
    severity=Severity.HANG,
    family=Family.LIFECYCLE,
    environments=("*_on_one", "*_on_all"),
    incidents=("I73", "I74"),
    tiers=(Tier.MULTIRANK,),
)


def check(seen: RankEvidence) -> Iterator[Breach]:
    """Look for calls that create after a creation that ended without a workspace."""
    for members in seen.groups():
        for trace in members.traces:
            failed = False
            for step in site_steps(trace, members.site, "create", "fused", "can_use"):
                called = [
                    event
                    for event in step.events
                    if event.symbol == CREATE and event.kind == "call"
                ]
                if failed and called:
                    yield Breach(
                        "no creation after one that failed",
                        f"another one in {step.op} on {trace.name}",
                        CREATE,
                        called[0].site,
                    )
                failed = failed or (bool(called) and not (step.status and step.status.active))
