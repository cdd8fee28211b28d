from __future__ import annotations

from typing import TYPE_CHECKING

from driftgate.cells import Tier
from driftgate.contracts.base import CREATE, Breach, Severity
from driftgate.contracts.upstream.base import ReleaseContract

if TYPE_CHECKING:
    from collections.abc import Iterator

    from driftgate.contracts.upstream.base import Evidence

CONTRACT = ReleaseContract(
    title="A workspace that needs no multicast asks the driver for none",
    why=("A GPU without multicast could fuse, and falls back for a function that is not needed"),
    severity=Severity.SILENT_FALLBACK,
    incidents=("I67",),
    exercises=("refusing_multicast",),
    tier=Tier.WHEEL,
)


def check(seen: Evidence) -> Iterator[Breach]:
    """Look at a creation where the driver refuses everything about multicast."""
    record = seen.played("refusing_multicast")
    if record["outcome"] != "ok" or record["called"]:
        called = ", ".join(record["called"]) or "none"
        got = f"{record['outcome']}: {record['text']}; asked for {called}"
        yield Breach("a TRT-LLM workspace without multicast", got, CREATE)
