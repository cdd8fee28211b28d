from __future__ import annotations

from typing import TYPE_CHECKING

from driftgate.contracts.base import CREATE, SIZE_CHECK, Breach, Contract, Family, Severity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from driftgate.contracts.base import Evidence

CONTRACT = Contract(
    title="After cleanup the consumer keeps no workspace alive",
    why="A workspace that is still referred to keeps its mapping",
    severity=Severity.LEAK,
    family=Family.LIFECYCLE,
    environments=("h100", "h100_subgroup", "h100_fp32", "b200", "b200_subgroup", "b200_cutedsl"),
    incidents=("I10",),
)


def check(seen: Evidence) -> Iterator[Breach]:
    """Look for a live workspace, unless the upstream's own cache holds it."""
    for leak in seen.trace.leaks:
        kind, _, name = leak.partition(": ")
        if kind == "workspace" and not seen.caches(f"{name}.{SIZE_CHECK}"):
            yield Breach("no workspace alive", name, CREATE)
