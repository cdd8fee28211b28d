from __future__ import annotations

from typing import TYPE_CHECKING

from driftgate.cells import Tier
from driftgate.contracts.base import Breach, Severity
from driftgate.contracts.upstream.base import ReleaseContract

if TYPE_CHECKING:
    from collections.abc import Iterator

    from driftgate.contracts.upstream.base import Evidence

CONTRACT = ReleaseContract(
    title="Importing needs no CUDA runtime in the process",
    why=(
        "The import fails before anything has used a GPU, and with what happens to be "
        "mapped by then"
    ),
    severity=Severity.CRASH,
    incidents=("I22",),
    exercises=("import_without_runtime",),
    tier=Tier.WHEEL,
)


def check(seen: Evidence) -> Iterator[Breach]:
    """Look at the import where no runtime is mapped."""
    if refused := seen.played("import_without_runtime"):
        yield Breach("importable without a CUDA runtime", refused, "flashinfer.comm")
