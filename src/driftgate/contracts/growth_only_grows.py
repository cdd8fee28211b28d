from __future__ import annotations

from typing import TYPE_CHECKING

from driftgate.contracts.base import CREATE, Breach, Contract, Family, Severity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from driftgate.contracts.base import Evidence

CONTRACT = Contract(
    title="A workspace made anew is at least as large as the one before",
    why=("Alternating problems would otherwise make workspaces for ever, each time collectively"),
    severity=Severity.HANG,
    family=Family.LIFECYCLE,
    environments=("h100", "b200"),
    incidents=("I73",),
    needs_active=True,
)


def check(seen: Evidence) -> Iterator[Breach]:
    """Compare the size of each creation by the module with the one before."""
    largest = (0, 0)
    for step in seen.steps("create"):
        for event in step.events:
            if event.symbol == CREATE and event.outcome == "ok":
                size = (event.args["max_token_num"], event.args["hidden_dim"])
                if size[0] < largest[0] or size[1] < largest[1]:
                    yield Breach(f"at least {largest}", f"{size}", CREATE, event.site)
                largest = (max(size[0], largest[0]), max(size[1], largest[1]))
