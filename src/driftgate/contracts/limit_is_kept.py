from __future__ import annotations

from typing import TYPE_CHECKING

from driftgate.contracts.base import Breach, Contract, Family, Severity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from driftgate.contracts.base import Evidence

CONTRACT = Contract(
    title="An all-reduce larger than the engine's user allows is not fused",
    why="A table of the consumer's own overrides what was asked for, on one of two paths",
    severity=Severity.SILENT_FALLBACK,
    family=Family.FASTPATH,
    environments=("h100_limited",),
    incidents=("I60",),
    needs_active=True,
    needs=("can_use",),
)


def check(seen: Evidence) -> Iterator[Breach]:
    """Look at what was accepted above the limit."""
    for step in seen.decisions():
        if step.args.get("over") and step.value["answer"]:
            yield Breach("refused, as over the limit", f"accepted {step.args['tokens']} tokens")
