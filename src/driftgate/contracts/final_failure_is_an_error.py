from __future__ import annotations

from typing import TYPE_CHECKING

from driftgate.contracts.base import CREATE, Breach, Contract, Family, Severity, consumer_lines

if TYPE_CHECKING:
    from collections.abc import Iterator

    from driftgate.contracts.base import Evidence

CONTRACT = Contract(
    title="A failure that turns fusion off for good is logged as an error",
    why="A warning among thousands hides that every later layer runs unfused",
    severity=Severity.SILENT_FALLBACK,
    family=Family.LOGNOISE,
    environments=("h100_creation_raises",),
    incidents=("I77",),
)


def check(seen: Evidence) -> Iterator[Breach]:
    """Look for an error record once a creation failed."""
    failed = [event for event in seen.calls(CREATE) if event.outcome != "ok"]
    errors = [line for step in seen.steps() for line in consumer_lines(step, "ERROR", "CRITICAL")]
    if failed and not errors:
        yield Breach("an error record", "none", CREATE, failed[0].site)
