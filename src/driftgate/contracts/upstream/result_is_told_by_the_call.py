from __future__ import annotations

from typing import TYPE_CHECKING

from driftgate.contracts.base import Breach, Severity
from driftgate.contracts.upstream.base import ReleaseContract

if TYPE_CHECKING:
    from collections.abc import Iterator

    from driftgate.contracts.upstream.base import Evidence

CONTRACT = ReleaseContract(
    title="What a caller gives decides how many values it gets back, and nothing else does",
    why="On another machine the same line unpacks another number of values",
    severity=Severity.CRASH,
    incidents=("I51", "I80"),
)


def check(seen: Evidence) -> Iterator[Breach]:
    """Look for results of several shapes for the same arguments."""
    for name, entry in seen.insides.entries.items():
        for branch, case in entry.cases.items():
            by_need: dict[tuple[str, ...], list[str]] = {}
            for result, need in case.results.items():
                by_need.setdefault(need, []).append(result)
            for need, results in by_need.items():
                if len(results) > 1:
                    given = f" where {', '.join(need)} is given" if need else ""
                    where = f"{name.partition(':')[2]} [{branch}]" if branch else name
                    yield Breach("one shape of result", " or ".join(results) + given, where)
