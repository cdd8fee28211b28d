from __future__ import annotations

from typing import TYPE_CHECKING

from driftgate.contracts.base import CREATE, LEGACY, Breach, Contract, Family, Severity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from driftgate.contracts.base import Evidence

_COUNTS = (
    "world_size",
    "tp_size",
    "rank",
    "tp_rank",
    "max_token_num",
    "hidden_dim",
    "gpus_per_node",
)

CONTRACT = Contract(
    title="Ranks, tokens and widths are sent as whole numbers",
    why=(
        "A size that a table gives in fractions makes everything computed from it a float, and "
        "allocators take no fraction of a byte: no workspace is made"
    ),
    severity=Severity.SILENT_FALLBACK,
    family=Family.KEYWORDS,
    environments=("h100", "b200", "h100_unprepared", "h100_limited", "h100_draft"),
)


def check(seen: Evidence) -> Iterator[Breach]:
    """Look at every count that a workspace was to be made for."""
    for symbol in (CREATE, LEGACY[0]):
        for event in seen.calls(symbol):
            for name in _COUNTS:
                value = event.args.get(name)
                if isinstance(value, float):
                    yield Breach(f"{name} as an int", f"{name}={value}", symbol, event.site)
