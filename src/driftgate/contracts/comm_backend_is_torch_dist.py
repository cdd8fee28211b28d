from __future__ import annotations

from typing import TYPE_CHECKING

from driftgate.contracts.base import CREATE, Breach, Contract, Family, Severity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from driftgate.contracts.base import Evidence

CONTRACT = Contract(
    title="mnnvl gets a TorchDistBackend over the group",
    why=(
        "In some releases any other object makes mnnvl rendezvous over WORLD, and none at"
        " all means MPI"
    ),
    severity=Severity.HANG,
    family=Family.KEYWORDS,
    environments=("b200", "b200_subgroup", "b200_group_alone"),
    incidents=(
        "I11",
        "I15",
    ),
)


def check(seen: Evidence) -> Iterator[Breach]:
    """Look at the comm_backend of every mnnvl creation."""
    if not seen.takes(CREATE, "comm_backend"):
        return
    for event in seen.calls(CREATE):
        sent = event.args.get("comm_backend")
        if event.args.get("backend") != "mnnvl":
            continue
        kinds = [sent["type"], *sent["bases"]] if isinstance(sent, dict) else []
        if "TorchDistBackend" not in kinds:
            yield Breach("a TorchDistBackend", f"{sent}", event.symbol, event.site)
        elif isinstance(sent, dict) and sent.get("ranks") != list(seen.environment.group):
            yield Breach(
                f"a backend over ranks {list(seen.environment.group)}",
                f"{sent}",
                event.symbol,
                event.site,
            )
