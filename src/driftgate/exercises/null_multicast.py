"""Make the workspace that reduces over NVLink multicast where its multicast pointer is null."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from driftgate.exercises.making import attempt, making
from driftgate.probes.cases.arguments import WHOLE

if TYPE_CHECKING:
    from driftgate.exercises.release import Release
    from driftgate.trace import Json

LOADS_ITSELF = False

_BACKEND = "mnnvl"
_MACHINES = {
    "a device without multicast": replace(WHOLE, multicast=False),
    "an allocation without multicast": replace(WHOLE, faults=("null_multicast",)),
}


def play(release: Release) -> Json:
    """Return how creation ended on each machine."""
    records = {}
    for machine, scene in _MACHINES.items():
        with making(release, scene) as maker:
            records[machine] = attempt(partial(maker.make, _BACKEND))
    return records
