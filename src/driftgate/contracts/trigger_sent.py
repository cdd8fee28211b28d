from __future__ import annotations

from typing import TYPE_CHECKING

from driftgate.contracts.base import FUSION, Breach, Contract, Family, Severity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from driftgate.contracts.base import Evidence

CONTRACT = Contract(
    title="trigger_completion_at_end is sent wherever it is taken",
    why="Its default changed from following PDL to True under an equal signature",
    severity=Severity.WRONG_RESULT,
    family=Family.KEYWORDS,
    environments=("h100", "h100_subgroup", "h100_fp32", "b200", "b200_subgroup", "b200_cutedsl"),
    incidents=(
        "I2",
        "I88",
    ),
    needs_active=True,
)


def check(seen: Evidence) -> Iterator[Breach]:
    """Look at every kernel call whose signature shows the trigger."""
    if not seen.takes(FUSION, "trigger_completion_at_end"):
        return
    for event in seen.calls(FUSION):
        if "trigger_completion_at_end" not in event.args:
            yield Breach(
                "trigger_completion_at_end=<the caller's>", "left out", event.symbol, event.site
            )
