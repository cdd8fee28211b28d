from __future__ import annotations

from typing import TYPE_CHECKING

from driftgate.contracts.base import Breach, Contract, Family, Severity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from driftgate.contracts.base import Evidence

CONTRACT = Contract(
    title="The decision and the operation compile as one graph",
    why="A graph break per layer costs more than fusion saves; under fullgraph it is an error",
    severity=Severity.CRASH,
    family=Family.COMPILE,
    environments=("compile", "compile_fused"),
    incidents=(
        "I91",
        "I92",
    ),
    needs_active=True,
)


def check(seen: Evidence) -> Iterator[Breach]:
    """Look at every call of the compiled layer."""
    for step in seen.steps("compiled"):
        if step.outcome != "ok":
            said = " ".join(f"{step.outcome}: {step.value}".split())
            yield Breach("it compiles and runs", said[:200])
