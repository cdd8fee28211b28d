from __future__ import annotations

from typing import TYPE_CHECKING

from driftgate.contracts.base import Breach, Severity
from driftgate.contracts.upstream.base import ReleaseContract

if TYPE_CHECKING:
    from collections.abc import Iterator

    from driftgate.contracts.upstream.base import Evidence

CONTRACT = ReleaseContract(
    title="A kernel that works in a bare workspace can be told what it holds, and refuses more",
    why="More tokens than it was made for are written past its end: a crash or a hang",
    severity=Severity.CRASH,
    incidents=("I51",),
)
# Entries whose workspace is plain pointers, which say nothing of their size.
_BARE = "workspace_ptrs"


def check(seen: Evidence) -> Iterator[Breach]:
    """Look for a refusal that a caller asks for by giving something more."""
    for name, entry in seen.insides.entries.items():
        for case in entry.cases.values() if _BARE in entry.params else ():
            if not any(item.options for item in case.refusals):
                got = f"nothing among {', '.join(entry.params)} makes it refuse"
                yield Breach("a refusal of what does not fit", got, name.partition(":")[2])
