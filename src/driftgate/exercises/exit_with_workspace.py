"""Leave the interpreter while a workspace of each backend is alive."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from driftgate.exercises.making import BACKENDS, making
from driftgate.probes.cases.arguments import WHOLE

if TYPE_CHECKING:
    from driftgate.exercises.release import Release
    from driftgate.trace import Json

LOADS_ITSELF = False

# A module's global, as in an engine: it dies once the import system is gone.
_KEPT: dict[str, Any] = {}


def play(release: Release) -> Json:
    """Return which workspaces are alive; the process is about to end."""
    for backend in BACKENDS:
        with making(release, WHOLE) as maker:
            _KEPT[backend] = maker.make(backend)
    return sorted(_KEPT)
