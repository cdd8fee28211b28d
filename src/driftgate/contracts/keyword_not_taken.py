from __future__ import annotations

from typing import TYPE_CHECKING

from driftgate.contracts.base import CREATE, FUSION, LEGACY, Breach, Contract, Family, Severity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from driftgate.contracts.base import Evidence

CONTRACT = Contract(
    title="No call is refused for its arguments",
    why=(
        "A keyword that this release does not take is a TypeError; caught broadly, it "
        "turns fusion off for good"
    ),
    severity=Severity.SILENT_FALLBACK,
    family=Family.KEYWORDS,
    environments=("h100", "h100_subgroup", "h100_fp32", "b200", "b200_subgroup", "b200_cutedsl"),
    incidents=(
        "I2",
        "I8",
    ),
)


def check(seen: Evidence) -> Iterator[Breach]:
    """Look for a TypeError out of the functions, those before the unified API too."""
    for symbol in (CREATE, FUSION, *LEGACY):
        for event in seen.calls(symbol):
            if event.outcome == "TypeError":
                yield Breach("only arguments that it takes", str(event.value), symbol, event.site)
