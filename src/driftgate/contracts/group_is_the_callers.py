from __future__ import annotations

from typing import TYPE_CHECKING

from driftgate.contracts.base import CREATE, Breach, Contract, Family, Severity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from driftgate.contracts.base import Evidence

CONTRACT = Contract(
    title="The group sent is the tensor-parallel group",
    why="Another group of the same size reduces over the wrong peers without an error",
    severity=Severity.WRONG_RESULT,
    family=Family.KEYWORDS,
    environments=("h100_subgroup", "b200_subgroup"),
    incidents=(
        "I11",
        "I64",
    ),
)


def check(seen: Evidence) -> Iterator[Breach]:
    """Compare the ranks of every group sent with the engine's."""
    wanted = list(seen.environment.group)
    for event in seen.calls(CREATE):
        group = event.args.get("group")
        if group is not None and group != {"ranks": wanted}:
            yield Breach(f"ranks {wanted}", f"{group}", event.symbol, event.site)
