from __future__ import annotations

from typing import TYPE_CHECKING

from driftgate.contracts.base import CREATE, Breach, Contract, Family, Severity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from driftgate.contracts.base import Evidence

CONTRACT = Contract(
    title="Workspaces rendezvous over the tensor-parallel group",
    why=("Over WORLD, ranks that never come are waited for, or the wrong peers' memory is reduced"),
    severity=Severity.HANG,
    family=Family.TOPOLOGY,
    environments=(
        "h100",
        "h100_subgroup",
        "h100_fp32",
        "b200",
        "b200_subgroup",
        "b200_cutedsl",
        "b200_group_alone",
    ),
    incidents=(
        "I11",
        "I12",
        "I14",
    ),
)


def check(seen: Evidence) -> Iterator[Breach]:
    """Compare the peers of every rendezvous with the group."""
    wanted = list(seen.environment.group)
    for event in seen.trace.events(kind="rendezvous"):
        if event.args["ranks"] != wanted:
            yield Breach(f"ranks {wanted}", f"ranks {event.args['ranks']}", CREATE)
