from __future__ import annotations

from typing import TYPE_CHECKING

from driftgate.cells import Tier
from driftgate.contracts.base import Breach, Severity
from driftgate.contracts.upstream.base import ReleaseContract

if TYPE_CHECKING:
    from collections.abc import Iterator

    from driftgate.contracts.upstream.base import Evidence

_CALL = "trtllm_moe_finalize_allreduce_fusion"

CONTRACT = ReleaseContract(
    title="The finalising all-reduce is refused by what it sends, not by what it reads",
    why=("Padding of the experts' buffer is counted as traffic, and calls that fit are refused"),
    severity=Severity.CRASH,
    incidents=("I56",),
    exercises=("moe_finalize_sizes",),
    tier=Tier.WHEEL,
)


def check(seen: Evidence) -> Iterator[Breach]:
    """Compare each outcome with the bytes that the ranks send each other."""
    for record in seen.played("moe_finalize_sizes"):
        fits = record["sent"] <= record["limit"]
        if fits != (record["outcome"] == "ok"):
            verb = "taken" if fits else "refused"
            expected = f"{record['case']}: {verb}, for {record['sent']} of {record['limit']} bytes"
            yield Breach(expected, record["outcome"], _CALL)
