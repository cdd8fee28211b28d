"""What a rule about one release is made of, and the evidence that it judges."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from driftgate.cells import Tier
from driftgate.errors import NotACheckoutError, UnknownNameError
from driftgate.exercises.record import Outcome
from driftgate.findings import Finding
from driftgate.insides.reader import read_insides
from driftgate.insides.store import load_insides
from driftgate.insides.target import load_insides_target
from driftgate.surface.reader import read_surface
from driftgate.surface.releases import load_releases
from driftgate.surface.sources import Folder, SourceTree
from driftgate.surface.store import load_surface
from driftgate.surface.target import load_target
from driftgate.wheels.provide import fetch_missing
from driftgate.wheels.store import WheelStore, cache_folder

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from driftgate.contracts.base import Breach, Severity
    from driftgate.insides.model import Insides
    from driftgate.insides.target import InsidesTarget
    from driftgate.paths import Project
    from driftgate.surface.model import Surface
    from driftgate.surface.releases import ReleaseRow
    from driftgate.surface.target import Target
    from driftgate.trace import Json

_FILE = "file:"


@dataclass(frozen=True)
class ReleaseContract:
    """One rule about one release by itself, as data.

    Attributes:
        title: The rule, as a sentence that is true where it is kept.
        why: What happens where it is broken.
        severity: How bad that is.
        incidents: Ids of the public bug reports that it stands for.
        about: Ids of watched symbols, or of modules: a release without any of them shows nothing.
        needs_wheel: Whether records are not enough, and the release itself is looked at.
        exercises: What the release is put through; a release that has none of what these are
            about shows nothing.
        by_backend: Whether it can be asked of the workspaces of one backend alone.
        tier: How real its evidence is: wheel where the release's own code is run.
    """

    title: str
    why: str
    severity: Severity
    incidents: tuple[str, ...] = ()
    about: tuple[str, ...] = ()
    needs_wheel: bool = False
    exercises: tuple[str, ...] = ()
    by_backend: bool = False
    tier: Tier = Tier.STATIC


@dataclass(frozen=True)
class Evidence:
    """One release: what is recorded of it, and the release itself for those who ask.

    Attributes:
        release: The version, or ``file:FOLDER`` for a tree that holds the package.
        project: Where the records lie.
        backend: The only backend that counts, for rules about workspaces; empty for all.
        outcome: What came of putting it through the exercises that were wanted.
    """

    release: str
    project: Project
    backend: str = ""
    outcome: Outcome = field(default_factory=Outcome)

    def played(self, exercise: str) -> Json:
        """Return what an exercise returned; None where there was nothing to exercise."""
        return self.outcome.get(exercise).value

    def counts(self, backend: str) -> bool:
        """Whether what befell a workspace of this backend counts."""
        return self.backend in {"", backend}

    @cached_property
    def target(self) -> Target:
        """What is watched of the upstream."""
        return load_target(self.project.matrix / "target.toml")

    @cached_property
    def insides_target(self) -> InsidesTarget:
        """What is looked for inside it."""
        return load_insides_target(self.project.matrix / "insides.toml")

    @cached_property
    def surface(self) -> Surface:
        """What it looks like to consumers."""
        if self.is_recorded:
            return load_surface(self.project.surfaces, self.release)
        return read_surface(self.sources, self.target, self.release)

    @cached_property
    def insides(self) -> Insides:
        """What it does inside."""
        if self.is_recorded:
            return load_insides(self.project.insides, self.release)
        return read_insides(self.sources, self.insides_target, self.target, self.release)

    @cached_property
    def row(self) -> ReleaseRow | None:
        """What the index says of it; None for a tree, which no index knows."""
        return load_releases(self.project.matrix / "releases.toml").get(self.release)

    @property
    def is_recorded(self) -> bool:
        """Whether it is a release, and no tree."""
        return not self.release.startswith(_FILE)

    @cached_property
    def folder(self) -> Path:
        """The folder that holds its ``flashinfer``; fetched where it is not there yet.

        Raises:
            DriftgateError: It cannot be had.
        """
        if not self.is_recorded:
            if not self.project.is_checkout:
                raise NotACheckoutError(self.release)
            folder = self.project.root / self.release.removeprefix(_FILE)
            if not (folder / self.target.package).is_dir():
                known = (f"{_FILE}FOLDER, which holds {self.target.package}/",)
                raise UnknownNameError("release", self.release, known)
            return folder
        fetch_missing(self.project, [self.release])
        return WheelStore(cache_folder()).folder(self.release)

    @cached_property
    def sources(self) -> SourceTree:
        """Its modules, parsed when they are asked for; nothing is imported."""
        return SourceTree(Folder(self.folder), self.target.package)

    def has(self, symbol: str) -> bool:
        """Whether it has the watched symbol, or module, of that id."""
        found = self.surface.symbols.get(symbol)
        return found is not None and found.definition is not None


@dataclass(frozen=True)
class ReleaseRule:
    """A contract with its id and its check."""

    id: str
    contract: ReleaseContract
    check: Callable[[Evidence], Iterator[Breach]]

    def silent(self, seen: Evidence) -> str:
        """Return why the release shows nothing of the rule; empty where it does."""
        about = self.contract.about
        if about and not any(seen.has(symbol) for symbol in about):
            return f"{seen.release} has no {' or '.join(about)}"
        absent = [seen.outcome.get(name).absent for name in self.contract.exercises]
        return "; ".join(dict.fromkeys(absent)) if absent and all(absent) else ""

    def died(self, seen: Evidence) -> str:
        """Return how an exercise of the rule died; empty where none did."""
        errors = ((name, seen.outcome.get(name).error) for name in self.contract.exercises)
        return "; ".join(f"{name}: {error}" for name, error in errors if error)

    def judge(self, seen: Evidence) -> tuple[Finding, ...]:
        """Return every breach in one release, each once."""
        found = dict.fromkeys(self.check(seen))
        return tuple(
            Finding(self.id, each.expected, each.got, each.symbol, each.site) for each in found
        )
