from __future__ import annotations

from typing import TYPE_CHECKING

from driftgate.contracts.base import FUSION, TOLERANCE, Breach, Contract, Family, Severity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from driftgate.contracts.base import Evidence

CONTRACT = Contract(
    title="Where fusion could not be had, the operation is declined, or done right otherwise",
    why=(
        "The layer before has left its own all-reduce to it: an answer from this rank's part alone "
        "is garbage without an error"
    ),
    severity=Severity.WRONG_RESULT,
    family=Family.NUMERICS,
    environments=("h100_creation_raises",),
    incidents=("I32",),
)


def check(seen: Evidence) -> Iterator[Breach]:
    """Compare every answer with the sum, its residual and its norm by plain torch."""
    for step in seen.steps("fused"):
        if step.outcome != "ok" or step.value["declined"]:
            continue
        for name in ("residual", "norm"):
            error = step.value[f"{name}_error"]
            if not error <= TOLERANCE:
                got = f"off by {error:.2g} of the largest value"
                yield Breach(f"declined, or the {name} by plain torch", got, FUSION)
