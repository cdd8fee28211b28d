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


def check(seen: Evidence) -> Iterator[Breach]:
    """Count the consumer's records over all calls; one may tell that the validator has failed.

    Not over the fused operation, which may make a workspace, and tell of that.
    """
    steps = seen.steps("can_use", "check_size", "all_reduce", "refusals")
    lines = [line for step in steps for line in consumer_lines(step)]
    if len(lines) > 1:
        yield Breach("at most one record", f"{len(lines)}, such as {lines[0]!r}")
