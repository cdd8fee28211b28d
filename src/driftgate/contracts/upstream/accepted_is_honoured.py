from __future__ import annotations

from typing import TYPE_CHECKING

from driftgate.contracts.base import Breach, Severity
from driftgate.contracts.upstream.base import ReleaseContract

if TYPE_CHECKING:
    from collections.abc import Iterator

    from driftgate.contracts.upstream.base import Evidence

CONTRACT = ReleaseContract(
    title="What an entry accepts it uses or refuses, on every branch",
    why="An option that is sent, accepted and dropped changes nothing, and nobody is told",
    severity=Severity.SILENT_FALLBACK,
    incidents=("I87",),
)


def check(seen: Evidence) -> Iterator[Breach]:
    """Look at the parameters that reach no call and that no refusal depends on."""
    for name, entry in seen.insides.entries.items():
        for branch, case in entry.cases.items():
            where = f"{name.partition(':')[2]} [{branch}]" if branch else name.partition(":")[2]
            for param in case.ignored:
                yield Breach(f"{param} used or refused", f"{param} is dropped", where)
