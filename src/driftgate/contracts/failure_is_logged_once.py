from __future__ import annotations

from typing import TYPE_CHECKING

from driftgate.contracts.base import Breach, Contract, Family, Severity, consumer_lines

if TYPE_CHECKING:
    from collections.abc import Iterator

    from driftgate.contracts.base import Evidence

CONTRACT = Contract(
    title="A failure is logged once, not once a layer",
    why="One warning a retry buries the first",
    severity=Severity.NOISE,
    family=Family.LOGNOISE,
    environments=("h100_creation_raises",),
    incidents=("I73",),
)


def check(seen: Evidence) -> Iterator[Breach]:
    """Look for warnings and errors in layers after the first that had any.

    One attempt may take several lines, such as one for each backend that was tried.
    """
    lines = [
        (step.args.get("layer", 0), line)
        for step in seen.steps()
        for line in consumer_lines(step, "WARNING", "ERROR", "CRITICAL")
    ]
    later = [line for layer, line in lines if layer > lines[0][0]]
    if later:
        yield Breach("records in one layer", f"{len(later)} in later ones, such as {later[-1]!r}")
