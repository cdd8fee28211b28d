"""What stands for a release on the stub tier: a stub that names it, or one proposed for it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

import tomlkit
from packaging.version import Version

from driftgate.insides.changes import changes
from driftgate.stubtree.derive import write_stub
from driftgate.stubtree.shapes import StubFolder, load_stub_folders
from driftgate.surface.difference import Level
from driftgate.surface.store import load_surface

if TYPE_CHECKING:
    from pathlib import Path

    from driftgate.paths import Project

_SHAPE = "shape.toml"
_STANDS_FOR = "stands_for"
_OTHER = {Level.BREAKING, Level.DANGEROUS}


class Origin(str, Enum):
    """How a stub came to stand for a release."""

    KNOWN = "known"
    EXTENDED = "extended: equal surface, and no difference inside that matters"
    DERIVED = "derived from the surface"


@dataclass(frozen=True)
class Stand:
    """What stands for a release.

    Attributes:
        stub: The folder's name.
        origin: How that came.
        copied: For a derived stub, the one whose behaviour it was given; empty for others.
    """

    stub: str
    origin: Origin
    copied: str = ""

    @property
    def text(self) -> str:
        """The same, in one line."""
        source = f", with the behaviour of {self.copied}" if self.copied else ""
        return f"{self.stub} ({self.origin.value}{source})"


def stand_for(stage: Project, release: str) -> Stand | None:
    """Return what stands for the recorded ``release``; propose it in ``stage`` where nothing does.

    Returns:
        None where no stub stands for an earlier release, whose behaviour could be copied.

    Raises:
        DriftgateError: A record or a stub's folder cannot be read.
    """
    known = known_stub(stage, release)
    if known:
        return Stand(known, Origin.KNOWN)
    folders = [folder for folder in load_stub_folders(stage.stubs) if folder.stands_for]
    earlier = _nearest(folders, release)
    if earlier is None:
        return None
    folder, stood_for = earlier
    if _is_like(stage, stood_for, release):
        _stand_also(folder.path / _SHAPE, release)
        return Stand(folder.name, Origin.EXTENDED)
    return _derived(stage, folder, release)


def known_stub(project: Project, release: str) -> str:
    """Return the stub that says it stands for ``release``, or empty."""
    folders = load_stub_folders(project.stubs)
    return next((folder.name for folder in folders if release in folder.stands_for), "")


def _nearest(folders: list[StubFolder], release: str) -> tuple[StubFolder, str] | None:
    """Return the latest release before ``release`` that is stood for, and by what."""
    before = [
        (Version(each), folder, each)
        for folder in folders
        for each in folder.stands_for
        if Version(each) < Version(release)
    ]
    if not before:
        return None
    _, folder, each = max(before, key=lambda row: row[0])
    return folder, each


def _is_like(stage: Project, old: str, new: str) -> bool:
    """Whether ``new`` looks like ``old``, and nothing inside differs that a stub imitates."""
    surfaces = [load_surface(stage.surfaces, release) for release in (old, new)]
    levels = {difference.level for difference in changes(stage, old, new)}
    return surfaces[0].same_shape(surfaces[1]) and not levels & _OTHER


def _stand_also(file: Path, release: str) -> None:
    document = tomlkit.parse(file.read_text(encoding="utf-8"))
    document[_STANDS_FOR].append(release)
    file.write_text(tomlkit.dumps(document), encoding="utf-8")


def _derived(stage: Project, like: StubFolder, release: str) -> Stand:
    name = f"v{release.replace('.', '_')}"
    folder = stage.stubs / name
    folder.mkdir(exist_ok=True)
    document = tomlkit.parse((like.path / _SHAPE).read_text(encoding="utf-8"))
    document[_STANDS_FOR] = [release]
    (folder / _SHAPE).write_text(tomlkit.dumps(document), encoding="utf-8")
    write_stub(load_surface(stage.surfaces, release), folder)
    return Stand(name, Origin.DERIVED, like.name)
