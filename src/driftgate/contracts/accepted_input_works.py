from __future__ import annotations

from typing import TYPE_CHECKING

from driftgate.contracts.base import FUSION, TOLERANCE, Breach, Contract, Family, Severity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from driftgate.contracts.base import Evidence

CONTRACT = Contract(
    title="What is accepted works",
    why=(
        "Strided, empty, unaligned and other-dtype inputs pass the size check and fail in"
        " the kernel"
    ),
    severity=Severity.CRASH,
    family=Family.NUMERICS,
    environments=("h100", "h100_fp32", "b200", "b200_cutedsl"),
    incidents=(
        "I61",
        "I62",
        "I90",
    ),
    needs_active=True,
    needs=("can_use", "all_reduce"),
)


def check(seen: Evidence) -> Iterator[Breach]:
    """Look at every odd input that was accepted and then used."""
    for step in seen.steps("all_reduce"):
        if "odd" in step.args:
            error = step.value["error"] if step.outcome == "ok" else 0.0
            if step.outcome != "ok" or error > TOLERANCE:
                yield Breach(
                    f"refused, or a right sum: {step.args['odd']}",
                    f"{step.outcome}: {step.value}",
                    FUSION,
                )
