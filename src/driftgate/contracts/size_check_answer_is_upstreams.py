from __future__ import annotations

from typing import TYPE_CHECKING

from driftgate.contracts.base import Breach, Contract, Family, Severity, validator_calls

if TYPE_CHECKING:
    from collections.abc import Iterator

    from driftgate.contracts.base import Evidence

CONTRACT = Contract(
    title="The size check's answer is the upstream's",
    why=(
        "A consumer that answers otherwise runs kernels in buffers that are too small, or"
        " not at all"
    ),
    severity=Severity.WRONG_RESULT,
    family=Family.DIALECT,
    environments=("h100", "b200", "b200_cutedsl"),
    incidents=(
        "I1",
        "I52",
    ),
    needs_active=True,
    needs=("check_size",),
)


def check(seen: Evidence) -> Iterator[Breach]:
    """Compare what the consumer answered with what its last question to the upstream brought."""
    for step in seen.steps("check_size"):
        asked = validator_calls(step)
        if step.outcome != "ok" or not asked or asked[-1].outcome != "ok":
            continue
        if step.value["answer"] != asked[-1].value:
            yield Breach(
                f"{asked[-1].value} for {step.args}",
                f"{step.value['answer']}",
                asked[-1].symbol,
                asked[-1].site,
            )
