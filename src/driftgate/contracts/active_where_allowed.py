from __future__ import annotations

from typing import TYPE_CHECKING

from driftgate.contracts.base import Breach, Contract, Family, Severity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from driftgate.contracts.base import Evidence

CONTRACT = Contract(
    title="Fusion is active where the shape allows it, else off for the right reason",
    why=("A cell that is green because fusion switched itself off hides the regression it was for"),
    severity=Severity.SILENT_FALLBACK,
    family=Family.STATUS,
    environments=(
        "h100",
        "h100_subgroup",
        "h100_fp32",
        "b200",
        "b200_subgroup",
        "b200_cutedsl",
        "h100_creation_raises",
        "h100_shutdown",
        "h100_unicast",
        "h100_beside_a_stub",
    ),
    incidents=(
        "I2",
        "I23",
        "I24",
        "I67",
    ),
)


def check(seen: Evidence) -> Iterator[Breach]:
    """Compare the status with the reason that this upstream must give here.

    A consumer that gives no reasons may use an upstream in a way of its own, where ours is off.
    """
    wanted = seen.expected_reason()
    status = seen.trace.final_status()
    if status is None:
        return
    if wanted and seen.is_without("status"):
        return
    got = "" if seen.is_active() else status.reason
    if got != wanted:
        yield Breach(
            f"degraded({wanted})" if wanted else "active", f"degraded({got})" if got else "active"
        )
