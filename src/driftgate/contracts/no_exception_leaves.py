from __future__ import annotations

from typing import TYPE_CHECKING

from driftgate.contracts.base import Breach, Contract, Family, Severity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from driftgate.contracts.base import Evidence

CONTRACT = Contract(
    title="No exception leaves the consumer but a kernel's own",
    why=("Fusion is an optimisation: whatever the upstream does, the engine must go on without it"),
    severity=Severity.CRASH,
    family=Family.STATUS,
    environments=("*",),
    incidents=(
        "I32",
        "I70",
    ),
)


def check(seen: Evidence) -> Iterator[Breach]:
    """Look at every step; in the kernel's own failure, at all but the two operations."""
    kernel_fails = "kernel_raises" in seen.environment.faults
    for step in seen.steps():
        if step.outcome != "ok" and not (kernel_fails and step.op in {"all_reduce", "fused"}):
            yield Breach(f"{step.op} raises nothing", f"{step.outcome}: {step.value}")
