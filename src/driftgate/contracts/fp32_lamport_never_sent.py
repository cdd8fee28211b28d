from __future__ import annotations

from typing import TYPE_CHECKING

from driftgate.contracts.base import CREATE, Breach, Contract, Family, Severity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from driftgate.contracts.base import Evidence

CONTRACT = Contract(
    title="use_fp32_lamport is never sent",
    why="No release takes it: upstream derives it from dtype, and float32 models lose fusion",
    severity=Severity.SILENT_FALLBACK,
    family=Family.KEYWORDS,
    environments=("h100_fp32",),
    incidents=("I8",),
)


def check(seen: Evidence) -> Iterator[Breach]:
    """Look at every attempt to create, refused ones too."""
    for event in seen.calls(CREATE):
        if "use_fp32_lamport" in event.args:
            yield Breach("dtype alone", "use_fp32_lamport", event.symbol, event.site)
