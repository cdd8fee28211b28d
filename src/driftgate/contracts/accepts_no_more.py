from __future__ import annotations

from typing import TYPE_CHECKING

from driftgate.contracts.base import SIZE_CHECK, Breach, Contract, Family, Severity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from driftgate.contracts.base import Evidence

CONTRACT = Contract(
    title="Nothing is accepted that the upstream's size check refuses",
    why="The kernel then writes past its buffer",
    severity=Severity.WRONG_RESULT,
    family=Family.FASTPATH,
    environments=(
        "h100",
        "h100_subgroup",
        "h100_fp32",
        "b200",
        "b200_subgroup",
        "b200_cutedsl",
        "h100_limited",
    ),
    incidents=(
        "I1",
        "I51",
        "I52",
    ),
)


def check(seen: Evidence) -> Iterator[Breach]:
    """Compare every acceptance with the upstream's own answer."""
    for step in seen.decisions():
        if step.value["answer"] and step.value["validator"] is False:
            yield Breach("refused, as upstream does", f"accepted {step.args}", SIZE_CHECK)
