from __future__ import annotations

from typing import TYPE_CHECKING

from driftgate.contracts.base import FUSION, Breach, Contract, Family, Severity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from driftgate.contracts.base import Evidence

CONTRACT = Contract(
    title="A kernel's exception reaches the caller",
    why="Swallowed, this rank goes on to NCCL while its peers are in the kernel, and all hang",
    severity=Severity.HANG,
    family=Family.LIFECYCLE,
    environments=("h100_kernel_raises",),
)


def check(seen: Evidence) -> Iterator[Breach]:
    """Look at both operations, whose kernel raises here."""
    for step in seen.steps("all_reduce", "fused"):
        if step.outcome == "ok":
            yield Breach("the kernel's exception", "none left the consumer", FUSION)
