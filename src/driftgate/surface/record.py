"""Read releases from the package index and keep their surfaces."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING

from packaging.metadata import parse_email
from packaging.version import Version

from driftgate.errors import (
    DamagedArchiveError,
    DriftgateError,
    InvalidDataError,
    UnknownNameError,
)
from driftgate.index.archives import open_archive
from driftgate.index.listing import list_archives
from driftgate.index.session import CountingSession
from driftgate.insides.reader import read_insides
from driftgate.insides.store import save_insides
from driftgate.surface.reader import read_surface
from driftgate.surface.releases import ReleaseRow, load_releases, save_releases
from driftgate.surface.sources import SourceTree
from driftgate.surface.store import save_surface

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from driftgate.index.listing import Archive
    from driftgate.index.settings import IndexSettings
    from driftgate.insides.model import Insides
    from driftgate.insides.target import InsidesTarget
    from driftgate.paths import Project
    from driftgate.surface.model import Surface
    from driftgate.surface.target import Target

# Releases are read at the same time, for most of the time goes in waiting for the index.
_WORKERS = 8


@dataclass(frozen=True)
class Reading:
    """One release as it was read.

    Attributes:
        row: What the index and the metadata say of it.
        surface: What its sources say to consumers.
        insides: What they do beside that.
        bytes_fetched: Bytes that went over the network for it.
    """

    row: ReleaseRow
    surface: Surface
    insides: Insides
    bytes_fetched: int


@dataclass(frozen=True)
class Offer:
    """The releases that can be recorded.

    Attributes:
        archives: What to read for each, oldest first.
        bytes_fetched: What listing them cost.
    """

    archives: dict[str, Archive]
    bytes_fetched: int


def offered_releases(target: Target, settings: IndexSettings) -> Offer:
    """List the final and post releases from the target's first one on; pre-releases are left out.

    Raises:
        IndexUnavailableError: An index cannot answer.
    """
    with CountingSession(settings) as session:
        listed = list_archives(target.project, settings, session)
        fetched = session.bytes_fetched
    first = Version(target.first_release)
    archives = {
        version: archive
        for version, archive in listed.items()
        if Version(version) >= first and not Version(version).is_prerelease
    }
    return Offer(archives, fetched)


def choose(offer: Offer, wanted: Sequence[str]) -> list[Archive]:
    """Return the archives of the ``wanted`` releases, or of all where none is named.

    Raises:
        UnknownNameError: The index does not offer one of them.
    """
    for name in wanted:
        if name not in offer.archives:
            raise UnknownNameError("release", name, tuple(offer.archives))
    return [offer.archives[name] for name in wanted or offer.archives]


@dataclass(frozen=True)
class Targets:
    """What is looked for in a release.

    Attributes:
        surface: Symbols that consumers use.
        insides: What happens behind them.
    """

    surface: Target
    insides: InsidesTarget


def read_releases(
    archives: Sequence[Archive],
    targets: Targets,
    settings: IndexSettings,
    on_read: Callable[[str], None] = lambda _: None,
) -> tuple[list[Reading], list[DriftgateError]]:
    """Read every archive, several at a time; ``on_read`` hears of each release as it is done.

    Returns:
        What was read, and what went wrong with those that could not be, each in order.
    """

    def read(archive: Archive) -> Reading | DriftgateError:
        # A session each: what it fetched is then what this release cost.
        try:
            with CountingSession(settings) as session:
                return _read(archive, targets, session)
        except DriftgateError as error:
            return error
        finally:
            on_read(archive.version)

    with ThreadPoolExecutor(_WORKERS) as pool:
        done = list(pool.map(read, archives))
    return (
        [item for item in done if isinstance(item, Reading)],
        [item for item in done if isinstance(item, DriftgateError)],
    )


def _read(archive: Archive, targets: Targets, session: CountingSession) -> Reading:
    with open_archive(archive, session) as release:
        tree = SourceTree(release, targets.surface.package)
        try:
            surface = read_surface(tree, targets.surface, archive.version)
            insides = read_insides(tree, targets.insides, targets.surface, archive.version)
        except InvalidDataError as error:
            raise DamagedArchiveError(archive.filename, f"{error.path}: {error.problem}") from error
        metadata, _ = parse_email(release.metadata())
        row = ReleaseRow(
            version=archive.version,
            filename=archive.filename,
            sha256=release.sha256,
            size=release.size,
            uploaded=archive.uploaded,
            requires_python=archive.requires_python or metadata.get("requires_python", ""),
            requires_dist=tuple(metadata.get("requires_dist", ())),
            yanked=archive.yanked,
        )
    return Reading(row, surface, insides, session.bytes_fetched)


def keep(readings: Sequence[Reading], project: Project) -> None:
    """Write what was read, and the releases' rows; records of other releases stay.

    Raises:
        InvalidDataError: The rows kept so far are damaged.
    """
    releases = project.matrix / "releases.toml"
    rows = {**load_releases(releases), **{item.row.version: item.row for item in readings}}
    for reading in readings:
        save_surface(project.surfaces, reading.surface)
        save_insides(project.insides, reading.insides)
    save_releases(releases, rows.values())
