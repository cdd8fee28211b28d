from __future__ import annotations

from typing import TYPE_CHECKING

from driftgate.contracts.base import SIZE_CHECK, Breach, Contract, Family, Severity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from driftgate.contracts.base import Evidence

CONTRACT = Contract(
    title="Each workspace's size check is asked in its own words",
    why=(
        "TRT-LLM takes use_oneshot and mnnvl an enum, within one release; the other's "
        "word is a TypeError that a broad except hides"
    ),
    severity=Severity.WRONG_RESULT,
    family=Family.DIALECT,
    environments=("h100", "h100_subgroup", "h100_fp32", "b200", "b200_subgroup", "b200_cutedsl"),
    incidents=("I1",),
)


def check(seen: Evidence) -> Iterator[Breach]:
    """Look for a TypeError out of any size check."""
    for event in seen.calls(SIZE_CHECK):
        if event.outcome == "TypeError":
            yield Breach("arguments that it takes", str(event.value), event.symbol, event.site)
