from __future__ import annotations

from typing import TYPE_CHECKING

from driftgate.contracts.base import Breach, Contract, Family, Severity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from driftgate.contracts.base import Evidence

CONTRACT = Contract(
    title="The backend follows from SM and node count",
    why=(
        "A wrong choice hangs over nodes, crashes at the first kernel, or leaves fusion "
        "off on a capable device"
    ),
    severity=Severity.HANG,
    family=Family.TOPOLOGY,
    environments=("topology",),
    incidents=(
        "I19",
        "I67",
        "I68",
        "I69",
        "I85",
    ),
    needs=("resolve_backend",),
)

# What works, by SM, nodes and the backend asked for; what is not here is refused.
_BACKENDS = {
    (90, 1, "auto"): ("trtllm", "mnnvl"),
    (90, 1, "mnnvl"): ("mnnvl",),
    (100, 1, "auto"): ("mnnvl", "trtllm"),
    (100, 2, "auto"): ("mnnvl",),
    (103, 1, "auto"): ("mnnvl", "trtllm"),
}
_REFUSED = (None,)
# Other rank counts may be refused for themselves.
_COMMON_RANKS = (8, 16)


def check(seen: Evidence) -> Iterator[Breach]:
    """Compare each answer with the table of what is known to work."""
    for step in seen.steps("resolve"):
        machine = (step.args["sm"], step.args["nodes"], step.args["backend"])
        if step.args["ranks"] not in _COMMON_RANKS:
            continue
        wanted = _BACKENDS.get(machine, _REFUSED)
        got = step.value if step.outcome == "ok" else f"{step.outcome}: {step.value}"
        if got not in wanted:
            sm, nodes, asked = machine
            names = " or ".join(map(str, wanted))
            yield Breach(f"{names} on SM{sm}, {nodes} nodes, asked for {asked}", f"{got}")
