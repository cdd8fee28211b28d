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
    """Count the consumer's warnings and errors over all layers."""
    lines = [
        line
        for step in seen.steps()
        for line in consumer_lines(step, "WARNING", "ERROR", "CRITICAL")
    ]
    if len(lines) > 1:
        yield Breach("one record", f"{len(lines)}, such as {lines[-1]!r}")
