# ruff: noqa: ANN401 - a communicator's data
"""Let creation choose the backend, where NVLink multicast is not had by all ranks."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from driftgate.exercises.making import attempt, making
from driftgate.probes.cases.arguments import over
from driftgate.probes.values import ForeignComm

if TYPE_CHECKING:
    from driftgate.exercises.making import Maker
    from driftgate.exercises.release import Release
    from driftgate.trace import Json

LOADS_ITSELF = False

_A_NODE = 8
_AUTO = "auto"


class _WithoutMulticastThere(ForeignComm):
    """A communicator whose last rank says no wherever it is asked for a yes or a no."""

    def allgather(self, data: Any) -> list[Any]:
        """Answer for every rank."""
        told = super().allgather(data)
        return [*told[:-1], False] if isinstance(data, bool) else told


def play(release: Release) -> Json:
    """Return which backend was chosen in each case, or why none was."""
    records = []
    for ranks in (4, 2 * _A_NODE):
        lacking = replace(over(ranks), multicast=False)
        where = f"{ranks} ranks, {-(-ranks // _A_NODE)} nodes"
        with making(release, lacking) as maker:
            records.append({"case": f"{where}, multicast on no rank", **_choose(maker)})
        with making(release, over(ranks)) as maker:
            comm = _WithoutMulticastThere(maker.group())
            records.append(
                {
                    "case": f"{where}, multicast not on the last rank",
                    **_choose(maker, comm_backend=comm),
                }
            )
    return records


def _choose(maker: Maker, **changes: Any) -> dict[str, Json]:
    chosen: list[str] = []
    nodes = min(_A_NODE, len(maker.scene.ranks))

    def make() -> None:
        workspace = maker.make(_AUTO, gpus_per_node=nodes, **changes)
        chosen.append(str(workspace.backend))

    return {**attempt(make), "chosen": chosen[0] if chosen else ""}
