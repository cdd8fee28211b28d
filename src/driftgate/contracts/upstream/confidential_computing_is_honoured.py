from __future__ import annotations

from typing import TYPE_CHECKING

from driftgate.cells import Tier
from driftgate.contracts.base import CREATE, Breach, Severity
from driftgate.contracts.upstream.base import ReleaseContract

if TYPE_CHECKING:
    from collections.abc import Iterator

    from driftgate.contracts.upstream.base import Evidence

_WITHOUT_MULTICAST = ("trtllm",)

CONTRACT = ReleaseContract(
    title="Under confidential computing TRT-LLM works, and what needs multicast says it cannot",
    why="Multicast set-up fails there, and memory that the driver shares cannot be had",
    severity=Severity.CRASH,
    incidents=("I80",),
    exercises=("confidential_computing",),
    by_backend=True,
    tier=Tier.WHEEL,
)


def check(seen: Evidence) -> Iterator[Breach]:
    """Look at both creations on a machine in that mode."""
    for backend, record in seen.played("confidential_computing").items():
        if not seen.counts(backend):
            continue
        failed = f"{record['outcome']}: {record['text']}"
        if backend in _WITHOUT_MULTICAST:
            if record["outcome"] != "ok":
                yield Breach(f"{backend}: a workspace", failed, CREATE)
            elif record["exported"]:
                got = f"{record['exported']} allocations shared through the driver"
                yield Breach(f"{backend}: memory that the driver does not share", got, CREATE)
        elif "confidential" not in record["text"].lower():
            got = "a workspace" if record["outcome"] == "ok" else failed
            yield Breach(f"{backend}: refused, for confidential computing", got, CREATE)
