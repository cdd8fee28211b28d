from __future__ import annotations

from typing import TYPE_CHECKING

from driftgate.contracts.base import SIZE_CHECK, Breach, Contract, Family, Severity, validator_calls

if TYPE_CHECKING:
    from collections.abc import Iterator

    from driftgate.contracts.base import Evidence

CONTRACT = Contract(
    title="Only the upstream says yes",
    why="A dimension check of the consumer's own says yes where the upstream says no",
    severity=Severity.WRONG_RESULT,
    family=Family.DIALECT,
    environments=("h100", "b200", "b200_cutedsl", "h100_size_check_raises"),
    incidents=(
        "I1",
        "I24",
        "I52",
    ),
)


def check(seen: Evidence) -> Iterator[Breach]:
    """Look for a yes that the upstream did not give, now or earlier to the same problem."""
    if not (seen.watches(SIZE_CHECK) and seen.workspaces()):
        return  # a workspace that was made out of sight may have been asked out of sight
    granted: set[tuple[object, object]] = set()
    for step in seen.steps("can_use", "check_size"):
        for event in validator_calls(step):
            if event.outcome == "ok" and event.value is True:
                granted.add((event.args.get("num_tokens"), event.args.get("hidden_dim")))
        answer = step.value["answer"] if step.outcome == "ok" else None
        problem = (step.args["tokens"], step.args["hidden"])
        if answer is True and problem not in granted:
            yield Breach("the upstream's answer", f"yes of its own to {problem}", SIZE_CHECK)
