from __future__ import annotations

from typing import TYPE_CHECKING

from driftgate.cells import Tier
from driftgate.contracts.base import Breach, Severity
from driftgate.contracts.upstream.base import ReleaseContract

if TYPE_CHECKING:
    from collections.abc import Iterator

    from driftgate.contracts.upstream.base import Evidence

_LOOKUP = "CudaRTLibrary"

CONTRACT = ReleaseContract(
    title="The CUDA runtime is told by its whole file name",
    why=(
        "A library that only has the name within its path is opened instead, and lacks "
        "every function"
    ),
    severity=Severity.CRASH,
    incidents=("I22",),
    exercises=("runtime_beside_others",),
    tier=Tier.WHEEL,
)


def check(seen: Evidence) -> Iterator[Breach]:
    """Look at the import beside a stub, and at every look-up after it."""
    record = seen.played("runtime_beside_others")
    if record["refused"]:
        yield Breach("a stub of the runtime beside it changes nothing", record["refused"], _LOOKUP)
    for lookup in record["lookups"]:
        if lookup["outcome"] != "ok":
            expected = f"{lookup['runtime']}, though {lookup['first']} is mapped before it"
            yield Breach(expected, f"{lookup['outcome']}: {lookup['text']}", _LOOKUP)
