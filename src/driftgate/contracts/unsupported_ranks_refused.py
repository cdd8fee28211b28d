from __future__ import annotations

from typing import TYPE_CHECKING

from driftgate.contracts.base import CREATE, Breach, Contract, Family, Severity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from driftgate.contracts.base import Evidence

CONTRACT = Contract(
    title="Rank counts that TRT-LLM's dispatch does not know are refused",
    why="Creation and size check succeed; the first kernel call is a KeyError",
    severity=Severity.CRASH,
    family=Family.TOPOLOGY,
    environments=("topology",),
)

_UNSUPPORTED = (1, 3, 6)


def check(seen: Evidence) -> Iterator[Breach]:
    """Look at trtllm with three and with six ranks, and at a single one."""
    for step in seen.steps("create"):
        ranks = step.args["ranks"]
        if ranks in _UNSUPPORTED and (step.outcome != "ok" or step.value["made"]):
            yield Breach(f"no workspace for {ranks} ranks", f"{step.outcome}: {step.value}", CREATE)
