from __future__ import annotations

from typing import TYPE_CHECKING

from driftgate.contracts.base import Breach, Contract, Family, Severity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from driftgate.contracts.base import Evidence

CONTRACT = Contract(
    title="Finding out what the upstream takes raises nothing",
    why=(
        "inspect.signature raises for builtins and broken signatures; a probe without a "
        "guard takes the engine down"
    ),
    severity=Severity.CRASH,
    family=Family.IMPORT,
    environments=("h100", "b200"),
    incidents=(
        "I4",
        "I9",
    ),
)


def check(seen: Evidence) -> Iterator[Breach]:
    """Look at the steps up to the first creation, where every consumer has probed."""
    for step in seen.steps():
        if step.op in {"configure", "create"} and step.outcome != "ok":
            yield Breach(f"{step.op} raises nothing", f"{step.outcome}: {step.value}")
        if step.op == "create":
            return
