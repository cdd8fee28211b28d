"""Destroy workspaces and drop them: what of their memory is left."""

from __future__ import annotations

import gc
from typing import TYPE_CHECKING

from driftgate.exercises.making import BACKENDS, making
from driftgate.probes.cases.arguments import WHOLE

if TYPE_CHECKING:
    from driftgate.exercises.release import Release
    from driftgate.trace import Json

LOADS_ITSELF = False


def play(release: Release) -> Json:
    """Return for each backend how many allocations there were and are left."""
    records = {}
    with making(release, WHOLE) as maker:
        for backend in BACKENDS:
            before = release.controls.live_handles()
            workspace = maker.make(backend)
            made = release.controls.live_handles() - before
            workspace.destroy()
            del workspace
            gc.collect()
            left = release.controls.live_handles() - before
            records[backend] = {"made": made, "left": left}
    return records
