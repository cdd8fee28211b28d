from __future__ import annotations

from typing import TYPE_CHECKING

from driftgate.contracts.base import CREATE, Breach, Contract, Family, Severity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from driftgate.contracts.base import Evidence

CONTRACT = Contract(
    title="Where nothing is wrong, no creation fails",
    why=(
        "What the consumer hands over spoils it, such as a communicator that takes the group's "
        "root for a global rank: fusion is off for good, or ranks part within a collective"
    ),
    severity=Severity.SILENT_FALLBACK,
    family=Family.KEYWORDS,
    environments=(
        "h100",
        "h100_subgroup",
        "h100_fp32",
        "b200",
        "b200_subgroup",
        "b200_group_alone",
    ),
    incidents=("I15",),
)


def check(seen: Evidence) -> Iterator[Breach]:
    """Look for creations that were tried and raised; refused arguments are another rule's."""
    for event in seen.calls(CREATE):
        if event.outcome not in {"ok", "TypeError"}:
            got = f"{event.outcome}: {event.value}".partition(" <")[0]
            yield Breach("a workspace", got, event.symbol, event.site)
