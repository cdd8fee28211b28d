from __future__ import annotations

from typing import TYPE_CHECKING

from driftgate.contracts.base import Breach, Severity
from driftgate.contracts.upstream.base import ReleaseContract

if TYPE_CHECKING:
    from collections.abc import Iterator

    from driftgate.contracts.upstream.base import Evidence

CONTRACT = ReleaseContract(
    title="Importing it calls nothing that reaches a device, its driver or its libraries",
    why="The import fails with whatever is loaded by then, or starts CUDA before a fork",
    severity=Severity.CRASH,
    incidents=("I22",),
)


def check(seen: Evidence) -> Iterator[Breach]:
    """Look at the calls that surely run at import."""
    rows = seen.insides_target.low_level
    for call in seen.insides.calls:
        if not call.guarded and any(row.matches(call.what) for row in rows):
            yield Breach("called when first needed", f"{call.what}() at import", call.module)
