from __future__ import annotations

from typing import TYPE_CHECKING

from driftgate.contracts.base import Breach, Contract, Family, Severity, validator_calls

if TYPE_CHECKING:
    from collections.abc import Iterator

    from driftgate.contracts.base import Evidence

CONTRACT = Contract(
    title="The one-shot hint reaches the size check as the member that means it",
    why=(
        "Dropped or turned round, the answer is about another strategy than the one that will run"
    ),
    severity=Severity.WRONG_RESULT,
    family=Family.DIALECT,
    environments=("h100", "b200"),
    incidents=(
        "I1",
        "I52",
    ),
    needs_active=True,
    needs=("check_size",),
)


def check(seen: Evidence) -> Iterator[Breach]:
    """Look at each size check that was asked with a hint."""
    for step in seen.steps("check_size"):
        hint = step.args["use_oneshot"]
        for event in validator_calls(step) if hint is not None else ():
            if seen.takes(event.symbol, "use_oneshot"):
                sent, wanted = event.args.get("use_oneshot"), hint
            elif seen.takes(event.symbol, "strategy"):
                sent = str(event.args.get("strategy")).rsplit(".", maxsplit=1)[-1].upper()
                wanted = "ONESHOT" if hint else "TWOSHOT"
            else:
                continue
            if sent != wanted:
                yield Breach(f"{wanted}", f"{sent}", event.symbol, event.site)
