from __future__ import annotations

from typing import TYPE_CHECKING

from driftgate.contracts.base import FUSION, Breach, Contract, Family, Severity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from driftgate.contracts.base import Evidence

CONTRACT = Contract(
    title="The status agrees with what ran",
    why="A status that says active while nothing is fused, or the reverse, is worse than none",
    severity=Severity.SILENT_FALLBACK,
    family=Family.STATUS,
    environments=("h100", "h100_subgroup", "h100_fp32", "b200", "b200_subgroup", "b200_cutedsl"),
    incidents=("I24",),
    needs=("status",),
)


def check(seen: Evidence) -> Iterator[Breach]:
    """Compare the status after each operation with the kernels in it."""
    for step in seen.steps("all_reduce", "fused"):
        ran = any(event.kind == "kernel" for event in step.events)
        if step.status is not None and step.outcome == "ok" and ran != step.status.active:
            yield Breach(f"active={ran}", f"active={step.status.active}", FUSION)
