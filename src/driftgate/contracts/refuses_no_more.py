from __future__ import annotations

from typing import TYPE_CHECKING

from driftgate.contracts.base import SIZE_CHECK, Breach, Contract, Family, Severity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from driftgate.contracts.base import Evidence

CONTRACT = Contract(
    title="Nothing is refused that the upstream's size check accepts",
    why="Fusion is lost without a word for shapes that fit",
    severity=Severity.SILENT_FALLBACK,
    family=Family.FASTPATH,
    environments=("h100", "h100_subgroup", "h100_fp32", "b200", "b200_subgroup"),
    incidents=("I49",),
    needs_active=True,
    needs=("every_size",),
)


def check(seen: Evidence) -> Iterator[Breach]:
    """Compare every refusal of a legal problem with the upstream's own answer.

    Not for mnnvl-cutedsl: its workspaces serve plain all-reduce, or the fused one, and not both.
    """
    for step in seen.decisions():
        if "grid" in step.args and step.value["validator"] and not step.value["answer"]:
            yield Breach("accepted, as upstream does", f"refused {step.args}", SIZE_CHECK)
