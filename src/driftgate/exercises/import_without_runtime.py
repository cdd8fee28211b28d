"""Import where no CUDA runtime is mapped: in a process that has not touched the GPU yet."""

from __future__ import annotations

from typing import TYPE_CHECKING

from driftgate.exercises.maps import mapped

if TYPE_CHECKING:
    from driftgate.exercises.release import Release
    from driftgate.trace import Json

LOADS_ITSELF = True


def play(release: Release) -> Json:
    """Return why it cannot be imported, or an empty text."""
    with mapped("/usr/lib/libc.so.6"):
        return release.load()
