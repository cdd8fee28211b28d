from __future__ import annotations

from typing import TYPE_CHECKING

from driftgate.contracts.base import CREATE, Breach, Contract, Family, Severity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from driftgate.contracts.base import Evidence

CONTRACT = Contract(
    title="Growth gives the old workspace back before it makes the new one",
    why="Two workspaces at once do not fit, and the first is never freed",
    severity=Severity.LEAK,
    family=Family.LIFECYCLE,
    environments=("h100", "b200"),
    incidents=("I27",),
    needs_active=True,
)


def check(seen: Evidence) -> Iterator[Breach]:
    """Look at the order of destruction and creation within a step of growth."""
    for step in seen.steps("create") if seen.watches("destroy") else ():
        symbols = [event.symbol for event in step.events if event.kind == "call"]
        if "growth" in step.args and CREATE in symbols:
            before = symbols[: symbols.index(CREATE)]
            if not any(symbol.endswith(".destroy") for symbol in before):
                yield Breach("destroy() first", "created beside the old one", CREATE)
