from __future__ import annotations

from typing import TYPE_CHECKING

from driftgate.cells import Tier
from driftgate.contracts.base import Breach, Severity
from driftgate.contracts.upstream.base import ReleaseContract

if TYPE_CHECKING:
    from collections.abc import Iterator

    from driftgate.contracts.upstream.base import Evidence

CONTRACT = ReleaseContract(
    title="NVML is initialised before it is asked, and given back after",
    why=(
        "Who asks first in a process gets an error; a count that is never given back keeps "
        "NVML open"
    ),
    severity=Severity.CRASH,
    exercises=("strict_nvml",),
    tier=Tier.WHEEL,
)


def check(seen: Evidence) -> Iterator[Breach]:
    """Look at questions that NVML did not answer, and at users that are left over."""
    for record in seen.played("strict_nvml"):
        if record["outcome"] == "UninitialisedError":
            yield Breach("nvmlInit before anything else", record["text"], record["asked"])
        elif record["users"]:
            got = f"{record['users']} more nvmlInit than nvmlShutdown"
            yield Breach("as many nvmlShutdown as nvmlInit", got, record["asked"])
