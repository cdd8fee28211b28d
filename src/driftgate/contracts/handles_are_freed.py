from __future__ import annotations

from typing import TYPE_CHECKING

from driftgate.contracts.base import Breach, Contract, Family, Severity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from driftgate.contracts.base import Evidence

CONTRACT = Contract(
    title="After cleanup nothing is allocated",
    why=("Multicast handles are scarce: what fusion keeps, another component of the process lacks"),
    severity=Severity.LEAK,
    family=Family.LIFECYCLE,
    environments=("h100", "h100_subgroup", "h100_fp32", "b200", "b200_subgroup", "b200_cutedsl"),
    incidents=("I27",),
)


def check(seen: Evidence) -> Iterator[Breach]:
    """Look at the allocations still alive; a shape without destroy() cannot free them."""
    for leak in seen.trace.leaks if seen.watches("destroy") else ():
        if leak.startswith("handles"):
            yield Breach("no allocation alive", leak, "destroy")
