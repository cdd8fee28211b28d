from __future__ import annotations

from typing import TYPE_CHECKING

from driftgate.contracts.base import FUSION, SIZE_CHECK, Breach, Contract, Family, Severity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from driftgate.contracts.base import Evidence

CONTRACT = Contract(
    title="A compiled layer decides as an eager one does",
    why=(
        "A stand-in used while compiling is wrong where the size check is not monotone, "
        "and ranks then part ways"
    ),
    severity=Severity.WRONG_RESULT,
    family=Family.COMPILE,
    environments=("h100", "b200", "compile"),
    incidents=(
        "I1",
        "I52",
    ),
    needs_active=True,
    needs=("can_use",),
)


def check(seen: Evidence) -> Iterator[Breach]:
    """Compare the decisions over the grid, and the results of one compiled layer.

    While compiling nothing can be asked: where a workspace does not state its capacity, no is
    the right answer to what only the upstream could grant.
    """
    cautious = not seen.states_capacity()
    for step in seen.steps("decide", "compiled"):
        if step.outcome != "ok" or step.value is None:
            continue
        decisions = zip(step.value["eager"], step.value["compiling"], strict=True)
        parted = [(eager, now) for eager, now in decisions if eager != now]
        for eager, now in parted:
            if not (cautious and eager):
                yield Breach(f"{eager} for {step.args}", f"{now}", SIZE_CHECK)
        if not parted and not step.value.get("equal", True):
            yield Breach("the eager result", f"another for {step.args}", FUSION)
