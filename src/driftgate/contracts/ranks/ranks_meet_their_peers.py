from __future__ import annotations

from typing import TYPE_CHECKING

from driftgate.cells import Tier
from driftgate.contracts.base import CREATE, FUSION, Breach, Contract, Family, Severity
from driftgate.ranks.evidence import site_events

if TYPE_CHECKING:
    from collections.abc import Iterator

    from driftgate.ranks.evidence import RankEvidence

CONTRACT = Contract(
    title="A workspace meets and reduces over the ranks of its own group",
    why="Over WORLD, ranks that never come are waited for, or others' numbers are summed",
    severity=Severity.WRONG_RESULT,
    family=Family.TOPOLOGY,
    environments=("*",),
    incidents=("I11", "I12", "I14", "I64"),
    tiers=(Tier.MULTIRANK,),
)
_SYMBOLS = {"rendezvous": CREATE, "kernel": FUSION}


def check(seen: RankEvidence) -> Iterator[Breach]:
    """Compare the ranks of each meeting and of each kernel with the group's."""
    for members in seen.groups():
        for trace in members.traces:
            for kind, symbol in _SYMBOLS.items():
                for event in site_events(trace, members.site, kind):
                    if event.args["ranks"] != list(members.ranks):
                        yield Breach(
                            f"ranks {list(members.ranks)}",
                            f"ranks {event.args['ranks']} in a {kind} of {trace.name}",
                            symbol,
                        )
