from __future__ import annotations

from typing import TYPE_CHECKING

from driftgate.cells import Tier
from driftgate.contracts.base import FUSION, Breach, Contract, Family, Severity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from driftgate.ranks.evidence import RankEvidence

CONTRACT = Contract(
    title="Every rank compiles a layer once, around the upstream, and its numbers stay right",
    why="A rank that compiles anew keeps its peers waiting in the kernel, at each new batch size",
    severity=Severity.WRONG_RESULT,
    family=Family.COMPILE,
    environments=("*_compiled",),
    incidents=("I91", "I92"),
    needs_active=True,
    tiers=(Tier.MULTIRANK,),
)


def check(seen: RankEvidence) -> Iterator[Breach]:
    """Look at every call of the compiled layers, and at what compiling took."""
    for trace in seen.ranks:
        for step in trace.steps("compiled"):
            where = f"for {step.args['tokens']} tokens on {trace.name}"
            if step.outcome != "ok":
                yield Breach("one graph", f"{step.outcome} {where}: {str(step.value)[:200]}")
                continue
            for badness in step.value["badness"]:
                if badness > 1:
                    got = f"{badness:.3g} times the allowed error {where}"
                    yield Breach("the numbers by plain torch in float64", got, FUSION)
        for step in trace.steps("compilations"):
            where = f"for the {step.args['layer']} layer on {trace.name}"
            if step.value["compilations"] > 1:
                yield Breach("one compilation", f"{step.value['compilations']} {where}")
            for file in step.value["traced"]:
                yield Breach("the upstream is not traced into", f"{file} {where}")
