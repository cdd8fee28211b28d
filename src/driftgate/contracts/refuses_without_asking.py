from __future__ import annotations

from typing import TYPE_CHECKING

from driftgate.contracts.base import Breach, Contract, Family, Severity, validator_calls

if TYPE_CHECKING:
    from collections.abc import Iterator

    from driftgate.contracts.base import Evidence

CONTRACT = Contract(
    title="What provably cannot fit is refused without asking the upstream",
    why="TRT-LLM's size check logs a warning for every refusal",
    severity=Severity.NOISE,
    family=Family.FASTPATH,
    environments=("h100", "h100_fp32"),
    incidents=("I57",),
    needs_active=True,
    needs=("can_use",),
)


def check(seen: Evidence) -> Iterator[Breach]:
    """Look for questions whose answer the workspace's own metadata gives."""
    if not seen.states_capacity():
        return
    for step in seen.steps("can_use"):
        if step.outcome == "ok" and step.value["validator"] is False:
            for event in validator_calls(step):
                yield Breach(
                    "refused beforehand", f"asked about {step.args}", event.symbol, event.site
                )
