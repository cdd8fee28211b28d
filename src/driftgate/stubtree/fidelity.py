"""Whether historic stubs look like the releases that they stand for."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from driftgate.stubtree.shapes import load_stub_folders
from driftgate.surface.diff import diff
from driftgate.surface.reader import read_surface
from driftgate.surface.sources import Folder, SourceTree

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from driftgate.stubtree.shapes import StubFolder
    from driftgate.surface.difference import Difference
    from driftgate.surface.model import Surface
    from driftgate.surface.target import Target


@dataclass(frozen=True)
class ReleaseFidelity:
    """How well one release is stood for.

    Attributes:
        release: The release.
        stubs: The stubs that name it; exactly one is right.
        differences: From the release to its stub.
    """

    release: str
    stubs: tuple[str, ...]
    differences: tuple[Difference, ...] = ()

    @property
    def problem(self) -> str:
        """What is wrong with who stands for it, or empty."""
        if not self.stubs:
            return "no stub stands for it"
        if len(self.stubs) > 1:
            return f"stubs {', '.join(self.stubs)} all stand for it"
        return ""


@dataclass(frozen=True)
class FidelityReport:
    """The outcome over all releases and stubs.

    Attributes:
        releases: Every recorded release, oldest first.
        stubs: How many shapes there are.
        problems: What is wrong with stubs as such, one line each.
    """

    releases: tuple[ReleaseFidelity, ...]
    stubs: int
    problems: tuple[str, ...] = field(default=())

    @property
    def differences(self) -> int:
        """All differences, counted a release."""
        return sum(len(item.differences) for item in self.releases)

    @property
    def holds(self) -> bool:
        """Whether nothing is wrong."""
        return not (
            self.problems or self.differences or any(item.problem for item in self.releases)
        )


def check_fidelity(stubs: Path, surfaces: Mapping[str, Surface], target: Target) -> FidelityReport:
    """Compare each stub with the recorded surface of every release that it stands for.

    Raises:
        InvalidDataError: A stub's folder cannot be read.
    """
    folders = load_stub_folders(stubs)
    read = {
        folder.name: read_surface(
            SourceTree(Folder(folder.path), target.package), target, folder.name
        )
        for folder in folders
        if folder.stands_for
    }
    releases = []
    for release, surface in surfaces.items():
        names = tuple(folder.name for folder in folders if release in folder.stands_for)
        differences = tuple(
            difference for name in names for difference in diff(surface, read[name])
        )
        releases.append(ReleaseFidelity(release, names, differences))
    problems = tuple(problem for folder in folders for problem in _problems(folder, surfaces))
    return FidelityReport(tuple(releases), len(folders), problems)


def _problems(folder: StubFolder, surfaces: Mapping[str, Surface]) -> list[str]:
    problems = [
        f"{folder.name}: stands for {release}, which was never recorded"
        for release in folder.stands_for
        if release not in surfaces
    ]
    if not folder.stands_for and not folder.imagines:
        problems.append(f"{folder.name}: stands for no release and does not say what it imagines")
    if folder.stands_for and folder.imagines:
        problems.append(f"{folder.name}: both stands for releases and imagines; keep one")
    return problems
