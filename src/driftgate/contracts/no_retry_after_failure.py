from __future__ import annotations

from typing import TYPE_CHECKING

from driftgate.contracts.base import CREATE, Breach, Contract, Family, Severity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from driftgate.contracts.base import Evidence

CONTRACT = Contract(
    title="A failed creation is not tried again",
    why=("Each retry costs the rendezvous' time-out and leaks what was allocated before it failed"),
    severity=Severity.HANG,
    family=Family.LIFECYCLE,
    environments=("h100_creation_raises",),
    incidents=("I73",),
)


def check(seen: Evidence) -> Iterator[Breach]:
    """Count the creations after the first that failed."""
    calls = seen.calls(CREATE)
    if len(calls) > 1 and calls[0].outcome != "ok":
        yield Breach("one attempt", f"{len(calls)} attempts", CREATE, calls[1].site)
