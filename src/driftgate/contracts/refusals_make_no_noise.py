from __future__ import annotations

from typing import TYPE_CHECKING

from driftgate.contracts.base import SIZE_CHECK, Breach, Contract, Family, Severity, upstream_lines

if TYPE_CHECKING:
    from collections.abc import Iterator

    from driftgate.contracts.base import Evidence

CONTRACT = Contract(
    title="A thousand refusals leave no warning of the upstream",
    why="One start-up printed 28,032 of them",
    severity=Severity.NOISE,
    family=Family.LOGNOISE,
    environments=("h100_fp32",),
    incidents=("I57",),
    needs=("can_use",),
)


def check(seen: Evidence) -> Iterator[Breach]:
    """Count what the upstream logged or printed meanwhile."""
    if not seen.states_capacity():
        return
    for step in seen.steps("refusals"):
        lines = upstream_lines(step)
        if lines:
            yield Breach("no line", f"{len(lines)} lines, such as {lines[0]!r}", SIZE_CHECK)
