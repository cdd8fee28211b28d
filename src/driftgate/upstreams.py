"""Upstreams by their spelled names: ``stub:v0_6_11``, ``wheel:0.7.4``, ``absent``."""

from __future__ import annotations

from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.version import Version

from driftgate.cells import Tier
from driftgate.digests import digest_of
from driftgate.drive.job import Release
from driftgate.errors import InvalidDataError, UnknownNameError
from driftgate.stubtree.shapes import load_stub_folder, load_stub_folders, shape_folders
from driftgate.surface.releases import load_releases
from driftgate.wheels.store import WheelStore, cache_folder
from driftgate.wheels.table import read_seam_table

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from driftgate.cells import Environment
    from driftgate.paths import Project

_CORE = "_core"
_SHAPE = "shape.toml"
_STUB = "stub:"
_WHEEL = "wheel:"
_WHEELS = "wheels:"
_RELEASES = "wheels"
_BEFORE_THE_UNIFIED_API = "no-unified-api"
# What a real release stands on; with it, what it answers may change.
_SEAMS = Path(__file__).parent / "wheels"
# The part of a release that is driven, and that the rest is imported for.
_COMM = Path("flashinfer", "comm")
ABSENT = "absent"


@dataclass(frozen=True)
class Upstream:
    """What a consumer is run against.

    Attributes:
        name: As spelled on the command line.
        tier: How real it is.
        folders: What goes on ``sys.path``; empty where no ``flashinfer`` is to be found.
        imagines: For a hand-written shape, what it is, in one line.
        stands_for: The releases that a historic shape stands for; of a release, itself.
        degraded: Reason code by environment id, or by pattern of it: where fusion must be off.
        release: What a real release is run with; None for a stub.
        sha256: The hash of a release's wheel.
        missing: Why it cannot be run, with what to do about it; empty where it can.
    """

    name: str
    tier: Tier
    folders: tuple[Path, ...] = ()
    imagines: str = ""
    stands_for: tuple[str, ...] = ()
    degraded: Mapping[str, str] = field(default_factory=dict)
    release: Release | None = None
    sha256: str = ""
    missing: str = ""

    @cached_property
    def content(self) -> str:
        """A hash of all that it is; of a release, of its wheel, its files and what it stands on."""
        if self.release is None:
            return digest_of(self.folders)
        comm = tuple(folder / _COMM for folder in self.folders)
        return f"{self.sha256} {digest_of((*comm, _SEAMS, Path(self.release.seams)))}"

    def takes_part(self, environment: Environment) -> bool:
        """Whether a run in this environment can show anything that others do not."""
        selected = any(fnmatchcase(self.name, pattern) for pattern in environment.only or ("*",))
        return selected and (environment.always or "*" not in self.degraded)

    def expected_reason(self, environment: Environment) -> str:
        """Return the reason code that is right here, or empty where fusion must be active.

        Whatever keeps an upstream from being used at all comes first (it is written ``"*"``),
        then what the environment does to every upstream, then the more specific pattern.
        """
        everywhere = self.degraded.get("*", "")
        patterns = sorted((each for each in self.degraded if each != "*"), key=len, reverse=True)
        matching = (each for each in patterns if fnmatchcase(environment.id, each))
        here = next((self.degraded[each] for each in matching), "")
        return everywhere or here or environment.expects


def find_upstream(name: str, project: Project) -> Upstream:
    """Return the upstream that ``name`` spells.

    Raises:
        UnknownNameError: There is no such upstream.
        InvalidDataError: Its ``shape.toml``, or another data file, cannot be used.
    """
    if name == ABSENT:
        return Upstream(ABSENT, Tier.STUB, degraded={"*": "no-flashinfer"})
    if name.startswith(_WHEEL):
        return _find_wheel(name, project)
    folder = project.stubs / name.removeprefix(_STUB)
    if not name.startswith(_STUB) or not (folder / _SHAPE).is_file():
        raise UnknownNameError("upstream", name, tuple(upstream_names(project)))
    shape = load_stub_folder(folder)
    if shape.base and not (project.stubs / shape.base / _SHAPE).is_file():
        raise InvalidDataError(
            folder / _SHAPE, f"base: no shape is named {shape.base!r}", "name a folder beside it"
        )
    return Upstream(
        name,
        Tier.STUB,
        (folder, project.stubs / _CORE),
        shape.imagines,
        shape.stands_for,
        shape.degraded,
    )


def _find_wheel(name: str, project: Project) -> Upstream:
    """Return a release, to be judged as the stub that stands for it, but for what a CPU lacks."""
    version = name.removeprefix(_WHEEL)
    known = wheel_names(project)
    if name not in known:
        raise UnknownNameError("release with a wheel", version, tuple(known))
    seams = project.matrix / "seams.toml"
    shapes = map(load_stub_folder, shape_folders(project.stubs))
    shape = next((each for each in shapes if version in each.stands_for), None)
    store = WheelStore(cache_folder())
    entry = store.get(version)
    fetch = f"driftgate wheels fetch {version}"
    return Upstream(
        name,
        Tier.WHEEL,
        (store.folder(version),) if entry else (),
        stands_for=(version,),
        degraded={
            **(shape.degraded if shape else {}),
            **read_seam_table(seams).degraded_on_a_cpu(version),
        },
        release=Release(version, str(seams)),
        sha256=entry.sha256 if entry else "",
        missing="" if entry else f"not in the wheel store; run `{fetch}`",
    )


def upstream_names(project: Project) -> list[str]:
    """Every upstream of the stub tier: historic shapes by what they stand for, then imagined ones.

    Raises:
        InvalidDataError: A ``shape.toml`` cannot be used.
    """
    shapes = load_stub_folders(project.stubs)
    historic = [shape for shape in shapes if shape.stands_for]
    historic.sort(key=lambda shape: min(map(Version, shape.stands_for)))
    imagined = [shape for shape in shapes if not shape.stands_for]
    return [*(_STUB + shape.name for shape in (*historic, *imagined)), ABSENT]


def wheel_names(project: Project) -> list[str]:
    """Every recorded release that has a wheel, oldest first."""
    rows = load_releases(project.matrix / "releases.toml").values()
    return [f"{_WHEEL}{row.version}" for row in rows if row.filename.endswith(".whl")]


def choose_upstreams(patterns: Sequence[str], project: Project) -> list[str]:
    """Return the names that patterns select; for none, the whole stub tier.

    Args:
        patterns: Names, patterns of names (``stub:v0_6_*``, ``wheel:0.7.*``), ranges of releases
            (``wheels:>=0.6.8,<0.7``; ``wheels:`` for all), or ``wheels`` for those that have the
            unified API and the newest that has not.
        project: Where the data lies.

    Raises:
        UnknownNameError: One selects nothing.
        InvalidDataError: A range is none, or a data file cannot be used.
    """
    known = [*upstream_names(project), *wheel_names(project)]
    if not patterns:
        return upstream_names(project)
    chosen: set[str] = set()
    for pattern in patterns:
        if pattern == _RELEASES:
            found = _unified_and_one(project)
        else:
            found = {name for name in known if _selects(pattern, name)}
        if not found:
            asked = pattern.partition(":")[0]
            alike = tuple(name for name in known if name.partition(":")[0] == asked)
            raise UnknownNameError("upstream", pattern, alike or tuple(known))
        chosen |= found
    return [name for name in known if name in chosen]


def _unified_and_one(project: Project) -> set[str]:
    wheels = [find_upstream(name, project) for name in wheel_names(project)]
    old = [each.name for each in wheels if each.degraded.get("*") == _BEFORE_THE_UNIFIED_API]
    return {each.name for each in wheels if each.name not in old[:-1]}


def _selects(pattern: str, name: str) -> bool:
    if not pattern.startswith(_WHEELS):
        return fnmatchcase(name, pattern)
    try:
        releases = SpecifierSet(pattern.removeprefix(_WHEELS))
    except InvalidSpecifier as error:
        raise InvalidDataError(pattern, "no range of releases", "write wheels:>=1,<2") from error
    version = name.removeprefix(_WHEEL)
    # Pre-releases only where the range itself names one.
    return name.startswith(_WHEEL) and releases.contains(version)
