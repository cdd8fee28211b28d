from __future__ import annotations

from typing import TYPE_CHECKING

from driftgate.cells import Tier
from driftgate.contracts.base import Breach, Contract, Family, Severity
from driftgate.ranks.evidence import site_steps

if TYPE_CHECKING:
    from collections.abc import Iterator

    from driftgate.ranks.evidence import RankEvidence
    from driftgate.trace import Json, Step

CONTRACT = Contract(
    title="Every rank of a group gives the same answer to the same question",
    why="One rank in the fused kernel and its peer in a plain all-reduce wait for each other",
    severity=Severity.HANG,
    family=Family.AGREEMENT,
    environments=("*",),
    incidents=("I75",),
    tiers=(Tier.MULTIRANK,),
)


def check(seen: RankEvidence) -> Iterator[Breach]:
    """Compare the answers of the ranks, question by question."""
    for members in seen.groups():
        asked = [
            site_steps(trace, members.site, "can_use", "decide", "fused")
            for trace in members.traces
        ]
        for steps in zip(*asked, strict=False):
            answers = [_answer(step) for step in steps]
            if len({step.op for step in steps}) == 1 and len(set(map(str, answers))) > 1:
                yield Breach(
                    f"one answer on {members.name}",
                    f"{steps[0].op}: {', '.join(map(str, answers))}",
                )


def _answer(step: Step) -> Json:
    """What was decided; for the fused operation whether it declined."""
    if step.outcome != "ok":
        return "raised"
    return step.value["declined"] if isinstance(step.value, dict) else step.value
