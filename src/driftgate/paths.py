"""Where the data lies: ``matrix/`` and ``stubs/`` of a checkout, or the copies in the package."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

_PACKAGED = Path(__file__).parent / "_data"


@dataclass(frozen=True)
class Project:
    """The folders one run reads and writes.

    Attributes:
        root: Holds ``matrix/`` and ``stubs/``.
        results: Where runs write (``.driftgate/`` beside the checkout, or in the working folder).
    """

    root: Path
    results: Path

    @property
    def is_checkout(self) -> bool:
        """Whether the data may be written: what was packaged is for reading only."""
        return self.root != _PACKAGED

    @property
    def matrix(self) -> Path:
        """The data rows."""
        return self.root / "matrix"

    @property
    def surfaces(self) -> Path:
        """The recorded surfaces, one JSON file a release."""
        return self.matrix / "surfaces"

    @property
    def insides(self) -> Path:
        """What each recorded release does inside, one JSON file a release."""
        return self.matrix / "insides"

    @property
    def stubs(self) -> Path:
        """The stub upstreams, one folder a shape."""
        return self.root / "stubs"


def find_project(start: Path | None = None) -> Project:
    """Find the checkout that ``start`` (default: the working folder) lies in.

    Outside a checkout the data that was packaged with driftgate is read, and results go to
    ``.driftgate`` in the working folder.
    """
    here = (start or Path.cwd()).resolve()
    for folder in (here, *here.parents):
        if (folder / "matrix" / "target.toml").is_file():
            return Project(folder, folder / ".driftgate")
    return Project(_PACKAGED, Path(os.fspath(here)) / ".driftgate")
