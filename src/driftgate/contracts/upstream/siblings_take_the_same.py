from __future__ import annotations

from typing import TYPE_CHECKING

from driftgate.contracts.base import Breach, Severity
from driftgate.contracts.upstream.base import ReleaseContract
from driftgate.insides.siblings import disagreements

if TYPE_CHECKING:
    from collections.abc import Iterator

    from driftgate.contracts.upstream.base import Evidence

CONTRACT = ReleaseContract(
    title="Classes that stand for each other take the same arguments in every method",
    why="A call written for one of them is a TypeError on its sibling, within one release",
    severity=Severity.SILENT_FALLBACK,
    incidents=("I1",),
)


def check(seen: Evidence) -> Iterator[Breach]:
    """Compare methods of one name across a base and its watched subclasses."""
    for item in disagreements(seen.surface):
        name = f"{item.base.partition(':')[2]}.{item.method}"
        yield Breach("the same parameters in every class", item.text, name)
