"""The stub folders: which releases each stands for, or what it imagines."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from packaging.version import InvalidVersion, Version

from driftgate.errors import InvalidDataError
from driftgate.toml import check, read_toml
from driftgate.vocabulary import REASONS

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

_SHAPE = "shape.toml"
_KINDS = {
    "stands_for": tuple[str, ...],
    "imagines": str,
    "base": str,
    "behaviour": dict[str, Any],
    "degraded": dict[str, str],
}


@dataclass(frozen=True)
class StubFolder:
    """One shape.

    Attributes:
        path: The folder; its name is the shape's name.
        stands_for: Releases whose surface it repeats; empty for a hand-written shape.
        imagines: What a hand-written shape is, in one line; empty for a historic one.
        degraded: Reason code by environment id, or by pattern of it: where fusion must be off.
        base: The shape that a hand-written one is like but for what it changes; may be empty.
    """

    path: Path
    stands_for: tuple[str, ...] = ()
    imagines: str = ""
    degraded: Mapping[str, str] = field(default_factory=dict)
    base: str = ""

    @property
    def name(self) -> str:
        """The shape's name."""
        return self.path.name


def load_stub_folders(stubs: Path) -> list[StubFolder]:
    """Read every ``shape.toml`` below ``stubs``, in order of names.

    Raises:
        InvalidDataError: A folder has none, or its fields are not what they must be.
    """
    return [load_stub_folder(folder) for folder in shape_folders(stubs)]


def shape_folders(stubs: Path) -> list[Path]:
    """Return the folders below ``stubs`` that are shapes, in order of names."""
    return sorted(
        folder
        for folder in stubs.iterdir()
        if folder.is_dir() and not folder.name.startswith(("_", "."))
    )


def load_stub_folder(folder: Path) -> StubFolder:
    """Read one folder's ``shape.toml``.

    Raises:
        InvalidDataError: There is none, or its fields are not what they must be.
    """
    file = folder / _SHAPE
    document = read_toml(file)
    check(file, "the file", document, _KINDS)
    stands_for = tuple(document.get("stands_for", ()))
    degraded = document.get("degraded", {})
    for release in stands_for:
        _insist_on_version(file, release)
    for reason in degraded.values():
        if reason not in REASONS:
            problem = f"[degraded] has the unknown reason {reason!r}"
            raise InvalidDataError(file, problem, f"use one of {', '.join(sorted(REASONS))}")
    imagines, base = document.get("imagines", ""), document.get("base", "")
    return StubFolder(folder, stands_for, imagines, degraded, base)


def _insist_on_version(file: Path, release: str) -> None:
    try:
        Version(release)
    except InvalidVersion as error:
        problem = f"stands_for: {release!r} is no version"
        raise InvalidDataError(file, problem, "write releases as 1.2.3") from error
