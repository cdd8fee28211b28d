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
    """Count the attempts for one backend after the first that failed; another may be tried next."""
    failed: dict[object, int] = {}
    for event in seen.calls(CREATE):
        backend = event.args.get("backend")
        if backend in failed:
            failed[backend] += 1
            yield Breach("one attempt", f"attempt {failed[backend]}", CREATE, event.site)
            return
        if event.outcome != "ok":
            failed[backend] = 1
