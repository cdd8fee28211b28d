from __future__ import annotations

from typing import TYPE_CHECKING

from driftgate.contracts.base import CREATE, FUSION, Breach, Contract, Family, Severity, by_position

if TYPE_CHECKING:
    from collections.abc import Iterator

    from driftgate.contracts.base import Evidence

CONTRACT = Contract(
    title="Arguments beyond the first three are sent by name",
    why=(
        "The trigger went in as the fifth positional parameter: whoever sent outputs by "
        "position sent them into it"
    ),
    severity=Severity.WRONG_RESULT,
    family=Family.KEYWORDS,
    environments=("h100", "b200"),
)


def check(seen: Evidence) -> Iterator[Breach]:
    """Look for arguments by position that could have been named."""
    for symbol in (CREATE, FUSION):
        kinds = seen.parameters(symbol)
        for event in seen.calls(symbol) if kinds else ():
            for name in by_position(event, kinds or {}, allowed=3):
                yield Breach(f"{name}=…", f"{name} by position", symbol, event.site)
