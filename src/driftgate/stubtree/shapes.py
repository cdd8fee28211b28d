"""The stub folders: which releases each stands for, or what it imagines."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from driftgate.errors import InvalidDataError
from driftgate.toml import read_toml

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True)
class StubFolder:
    """One shape.

    Attributes:
        path: The folder; its name is the shape's name.
        stands_for: Releases whose surface it repeats; empty for a hand-written shape.
        imagines: What a hand-written shape is, in one line; empty for a historic one.
    """

    path: Path
    stands_for: tuple[str, ...] = ()
    imagines: str = ""

    @property
    def name(self) -> str:
        """The shape's name."""
        return self.path.name


def load_stub_folders(stubs: Path) -> list[StubFolder]:
    """Read every ``shape.toml`` below ``stubs``, in order of names.

    Raises:
        InvalidDataError: A folder has none, or its fields are not what they must be.
    """
    folders = sorted(
        folder
        for folder in stubs.iterdir()
        if folder.is_dir() and not folder.name.startswith(("_", "."))
    )
    return [_load(folder) for folder in folders]


def _load(folder: Path) -> StubFolder:
    file = folder / "shape.toml"
    document = read_toml(file)
    stands_for = document.get("stands_for", [])
    imagines = document.get("imagines", "")
    if not isinstance(imagines, str) or not isinstance(stands_for, list):
        remedy = "stands_for is a list of releases, imagines a line"
        raise InvalidDataError(file, "a field has the wrong type", remedy)
    return StubFolder(folder, tuple(stands_for), imagines)
