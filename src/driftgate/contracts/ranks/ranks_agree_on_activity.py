from __future__ import annotations

from itertools import zip_longest
from typing import TYPE_CHECKING

from driftgate.cells import Tier
from driftgate.contracts.base import CREATE, Breach, Contract, Family, Severity
from driftgate.ranks.evidence import site_steps

if TYPE_CHECKING:
    from collections.abc import Iterator

    from driftgate.ranks.evidence import RankEvidence

CONTRACT = Contract(
    title="Fusion is active on all live ranks of a group, or on none",
    why="Ranks that fuse wait in a kernel for those that do not",
    severity=Severity.HANG,
    family=Family.AGREEMENT,
    environments=("*",),
    incidents=("I73", "I75", "I77"),
    tiers=(Tier.MULTIRANK,),
)


def check(seen: RankEvidence) -> Iterator[Breach]:
    """Compare what the ranks said after each of their creations."""
    for members in seen.groups():
        said = [
            [
                step.status.active
                for step in site_steps(trace, members.site, "create")
                if step.status
            ]
            for trace in members.traces
        ]
        for moment, answers in enumerate(zip_longest(*said), start=1):
            states = [answer for answer in answers if answer is not None]  # of those that came
            if len(set(states)) > 1:
                got = ", ".join("active" if state else "off" for state in states)
                yield Breach(
                    f"one state on {members.name}", f"{got} after creation {moment}", CREATE
                )
