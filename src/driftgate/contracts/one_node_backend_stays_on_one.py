from __future__ import annotations

from typing import TYPE_CHECKING

from driftgate.contracts.base import CREATE, LEGACY, Breach, Contract, Family, Severity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from driftgate.contracts.base import Evidence

# Its ranks reach each other's memory by handles of one machine.
_ONE_NODE = "trtllm"

CONTRACT = Contract(
    title="No workspace for one node is made over several",
    why="The memory of ranks on another node cannot be mapped: start-up hangs, or fails on some",
    severity=Severity.HANG,
    family=Family.TOPOLOGY,
    environments=("h100_two_nodes",),
)


def check(seen: Evidence) -> Iterator[Breach]:
    """Look at what was made where the group spans nodes."""
    for event in seen.calls(CREATE):
        if event.args.get("backend") == _ONE_NODE:
            got = f"one for {_ONE_NODE} over {seen.environment.nodes} nodes"
            yield Breach("no workspace, or one for several nodes", got, CREATE, event.site)
    for event in seen.calls(LEGACY[0]):
        got = f"one over {seen.environment.nodes} nodes"
        yield Breach("no workspace of this kind", got, LEGACY[0], event.site)
