from __future__ import annotations

from typing import TYPE_CHECKING

from driftgate.contracts.base import Breach, Contract, Family, Severity, consumer_lines

if TYPE_CHECKING:
    from collections.abc import Iterator

    from driftgate.contracts.base import Evidence

CONTRACT = Contract(
    title="Nothing is logged a call",
    why="The decision runs twice a layer at each decode step",
    severity=Severity.NOISE,
    family=Family.LOGNOISE,
    environments=("h100", "b200", "h100_size_check_raises", "h100_fp32"),
    incidents=(
        "I1",
        "I57",
    ),
)


# A trouble is told once, and once more what came of it.
_TRANSITIONS = 2


def check(seen: Evidence) -> Iterator[Breach]:
    """Count the consumer's records over all calls."""
    steps = seen.steps("can_use", "check_size", "all_reduce", "fused", "refusals")
    lines = [line for step in steps for line in consumer_lines(step)]
    if len(lines) > _TRANSITIONS:
        yield Breach(f"at most {_TRANSITIONS} records", f"{len(lines)}, such as {lines[0]!r}")
