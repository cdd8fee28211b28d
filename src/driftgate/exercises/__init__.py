"""What one release by itself is put through, one file each; the file's name is the exercise's id.

A file holds one function ``play(release)``, which uses the release as an engine would, or as a
machine would have it, and returns plain values. Each is played in a process of its own, so it may
change whatever it likes. Nothing is judged here: contracts in ``contracts/upstream/`` do that.
"""

from __future__ import annotations

import importlib
import pkgutil
from typing import TYPE_CHECKING, Protocol, cast

if TYPE_CHECKING:
    from driftgate.exercises.release import Release
    from driftgate.trace import Json

_NOT_EXERCISES = {"asking", "making", "maps", "play", "record", "release", "shelf"}


class Exercise(Protocol):
    """One file of this package.

    Attributes:
        LOADS_ITSELF: Whether the release's import is a part of the exercise.
    """

    LOADS_ITSELF: bool

    def play(self, release: Release) -> Json:
        """Return what happened, as plain values.

        Raises:
            AbsentError: The release does not have what the exercise is about.
        """


def exercise_names() -> list[str]:
    """Return the id of every exercise."""
    names = [info.name for info in pkgutil.iter_modules(__path__)]
    return [name for name in names if name not in _NOT_EXERCISES]


def find_exercise(name: str) -> Exercise:
    """Return the exercise of that id."""
    return cast("Exercise", importlib.import_module(f"{__name__}.{name}"))
