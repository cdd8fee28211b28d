from __future__ import annotations

from typing import TYPE_CHECKING

from driftgate.cells import Tier
from driftgate.contracts.base import CREATE, Breach, Severity
from driftgate.contracts.upstream.base import ReleaseContract

if TYPE_CHECKING:
    from collections.abc import Iterator

    from driftgate.contracts.upstream.base import Evidence

CONTRACT = ReleaseContract(
    title="Creation works where NVML's bindings know of no fabric",
    why=(
        "A machine without a fabric, and with the bindings it always had, gets no workspace; "
        "no requirement says which bindings are new enough"
    ),
    severity=Severity.CRASH,
    incidents=("I32",),
    exercises=("old_nvml",),
    by_backend=True,
    tier=Tier.WHEEL,
)


def check(seen: Evidence) -> Iterator[Breach]:
    """Look for a creation that fails for a name that NVML did not always have."""
    for backend, record in seen.played("old_nvml").items():
        if record["outcome"] == "AttributeError" and seen.counts(backend):
            yield Breach(f"{backend}: a workspace, without the fabric", record["text"], CREATE)
