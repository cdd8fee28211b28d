from __future__ import annotations

from typing import TYPE_CHECKING

from driftgate.cells import Tier
from driftgate.contracts.base import CREATE, Breach, Contract, Family, Severity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from driftgate.ranks.evidence import RankEvidence

CONTRACT = Contract(
    title="Each rank is active where fusion is right, and else off for the true reason",
    why="Fusion that is off for no reason is lost speed; a rank that blames itself misleads",
    severity=Severity.SILENT_FALLBACK,
    family=Family.STATUS,
    environments=("*",),
    incidents=("I77",),
    tiers=(Tier.MULTIRANK,),
)


def check(seen: RankEvidence) -> Iterator[Breach]:
    """Compare every rank's last word with what its shape, its topology and its trouble allow."""
    for members in seen.groups():
        for trace in seen.lived(members):
            status = seen.final_status(trace, members.site)
            if status is None:
                continue
            want = seen.expected_reasons(trace)
            if status.active:
                if want:
                    yield Breach(f"off ({' or '.join(want)})", f"active on {trace.name}", CREATE)
            elif status.reason not in want and not (want and status.reason == "unsaid"):
                yield Breach(
                    f"off ({' or '.join(want)})" if want else "active",
                    f"off ({status.reason}) on {trace.name}",
                    CREATE,
                )
