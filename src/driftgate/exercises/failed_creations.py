"""Creations that fail half-way: what is left of an object dies like any other."""

from __future__ import annotations

import gc
import sys
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from driftgate.exercises.making import BACKENDS, attempt, making
from driftgate.exercises.record import AbsentError
from driftgate.probes.cases.arguments import WHOLE

if TYPE_CHECKING:
    from driftgate.exercises.making import Maker
    from driftgate.exercises.release import Release
    from driftgate.trace import Json

LOADS_ITSELF = False

_FAULTS = ("create_raises", "create_raises_oom")
_MEMORY = "MnnvlMemory"
_BYTES = 1 << 20


def play(release: Release) -> Json:
    """Return how each creation ended, and what its remains raised when they died."""
    raised: list[str] = []
    sys.unraisablehook = partial(_note, raised)
    records = []
    for fault in _FAULTS:
        with making(release, replace(WHOLE, faults=(fault,))) as maker:
            attempts = {backend: partial(maker.make, backend) for backend in BACKENDS}
            attempts[_MEMORY] = partial(_make_memory, maker)
            for name, make in attempts.items():
                ended = attempt(make)
                gc.collect()
                records.append({"made": name, "fault": fault, **ended, "raised": list(raised)})
                raised.clear()
    return records


def _make_memory(maker: Maker) -> None:
    """Make the memory that all-to-all kernels share, which workspaces do not use."""
    release = maker.release
    try:
        memory, mapping = release.get(_MEMORY), release.get("Mapping")
    except AbsentError:
        return
    ranks = len(maker.scene.ranks)
    memory(mapping(world_size=ranks, rank=0, gpus_per_node=ranks, tp_size=ranks), _BYTES)


def _note(raised: list[str], unraisable: Any) -> None:  # noqa: ANN401 - as sys documents it
    where = getattr(unraisable.object, "__qualname__", "")
    raised.append(f"{type(unraisable.exc_value).__name__}: {unraisable.exc_value} in {where}")
