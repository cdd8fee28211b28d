from __future__ import annotations

from typing import TYPE_CHECKING

from driftgate.contracts.base import CREATE, Breach, Contract, Family, Severity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from driftgate.contracts.base import Evidence

CONTRACT = Contract(
    title="A workspace without a multicast pointer is not used",
    why="Some releases hand one out in silence; its kernels access address zero",
    severity=Severity.CRASH,
    family=Family.LIFECYCLE,
    environments=("b200_null_multicast",),
    incidents=("I72",),
)

_WITHOUT = "trtllm"


def check(seen: Evidence) -> Iterator[Breach]:
    """Look for use, and for a reason; trtllm has no such pointer, and may be fallen back to."""
    for event in seen.trace.events(kind="kernel"):
        if event.args.get("backend") != _WITHOUT:
            yield Breach("no kernel", "a kernel ran", event.symbol)
    status = seen.trace.final_status()
    if status is not None and status.active and status.backend != _WITHOUT:
        yield Breach("degraded", "active", CREATE)
