from __future__ import annotations

from typing import TYPE_CHECKING

from driftgate.cells import Tier
from driftgate.contracts.base import Breach, Contract, Family, Severity
from driftgate.ranks.seen import HANG

if TYPE_CHECKING:
    from collections.abc import Iterator

    from driftgate.ranks.evidence import RankEvidence

CONTRACT = Contract(
    title="No rank dies, and no exception leaves the module, unless the kernel itself failed",
    why="Fusion is an option: an engine must start and serve without it",
    severity=Severity.CRASH,
    family=Family.LIVENESS,
    environments=("*",),
    incidents=("I14",),
    tiers=(Tier.MULTIRANK,),
)
_CONSUMERS_OWN = ("can_use", "cleanup", "configure", "create", "decide")


def check(seen: RankEvidence) -> Iterator[Breach]:
    """Look at how every process ended, and at what left the consumer."""
    for trace in seen.ranks:
        was_killed = seen.struck(trace) and trace.end == "ended by SIGKILL"
        if trace.end not in ("", HANG) and not was_killed:
            yield Breach("an end without an error", trace.where())
        for step in trace.steps(*_CONSUMERS_OWN):
            if step.outcome != "ok":
                yield Breach("no exception", f"{step.outcome} from {step.op} on {trace.name}")
