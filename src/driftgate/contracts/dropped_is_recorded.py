from __future__ import annotations

from typing import TYPE_CHECKING

from driftgate.contracts.base import CREATE, FUSION, Breach, Contract, Family, Severity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from driftgate.contracts.base import Evidence

CONTRACT = Contract(
    title="What the upstream does not take, and would have mattered, is recorded",
    why="Whoever asks why fusion behaves differently needs to see what was left out",
    severity=Severity.SILENT_FALLBACK,
    family=Family.KEYWORDS,
    environments=("h100",),
    incidents=("I2",),
    needs_active=True,
    needs=("status",),
)


def check(seen: Evidence) -> Iterator[Breach]:
    """Compare what the signatures lack with what the status says was dropped."""
    status = seen.trace.final_status()
    dropped = " ".join(status.dropped) if status else ""
    for symbol, name in ((CREATE, "group"), (FUSION, "trigger_completion_at_end")):
        if seen.lacks(symbol, name) and name not in dropped:
            yield Breach(f"{name!r} among dropped", f"dropped: {dropped or 'nothing'}", symbol)
