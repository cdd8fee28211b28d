from __future__ import annotations

from typing import TYPE_CHECKING

from driftgate.contracts.base import CREATE, Breach, Contract, Family, Severity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from driftgate.contracts.base import Evidence

CONTRACT = Contract(
    title="The group is sent wherever it is taken",
    why="Left out, it means WORLD: ranks outside the group are waited for, or reduced over",
    severity=Severity.HANG,
    family=Family.KEYWORDS,
    environments=("h100", "h100_subgroup", "h100_fp32", "b200", "b200_subgroup", "b200_cutedsl"),
    incidents=(
        "I11",
        "I12",
    ),
)


def check(seen: Evidence) -> Iterator[Breach]:
    """Look at every creation whose signature shows a group."""
    if not seen.takes(CREATE, "group"):
        return
    for event in seen.calls(CREATE):
        if event.args.get("group") is None:
            yield Breach("group=<the device group>", "no group", event.symbol, event.site)
