"""Which releases a bump is between, and their records."""

from __future__ import annotations

from typing import TYPE_CHECKING

from packaging.version import InvalidVersion, Version

from driftgate.errors import DriftgateError, UnknownNameError
from driftgate.index.listing import list_archives
from driftgate.index.session import CountingSession
from driftgate.insides.target import load_insides_target
from driftgate.surface.record import Targets, keep, read_releases
from driftgate.surface.store import recorded_releases
from driftgate.surface.target import load_target

if TYPE_CHECKING:
    from collections.abc import Sequence

    from driftgate.index.listing import Archive
    from driftgate.index.settings import IndexSettings
    from driftgate.paths import Project

_SHOWN = 5


class NotNewerError(DriftgateError):
    """The pin would be moved back.

    Attributes:
        old: The release moved from.
        new: The release moved to.
        remedy: What to do about it.
    """

    def __init__(self, old: str, new: str, remedy: str) -> None:
        self.old = old
        self.new = new
        self.remedy = remedy
        super().__init__(f"{new} is older than {old}; {remedy}")


def normalised(release: str) -> str:
    """Return ``release`` as it is spelled in records.

    Raises:
        UnknownNameError: It is no version.
    """
    try:
        return str(Version(release))
    except InvalidVersion as error:
        raise UnknownNameError("release", release, ("versions, as 1.2.3",)) from error


def require_order(old: str, new: str, remedy: str) -> None:
    """Check that the pin moves on.

    Args:
        old: The release moved from.
        new: The release moved to.
        remedy: What to do where it moves back.

    Raises:
        NotNewerError: It moves back.
    """
    if Version(new) < Version(old):
        raise NotNewerError(old, new, remedy)


def listed(project: Project, settings: IndexSettings) -> tuple[dict[str, Archive], int]:
    """Return every release that the index offers, pre-releases included, and the bytes fetched.

    Raises:
        IndexUnavailableError: An index cannot answer.
    """
    target = load_target(project.matrix / "target.toml")
    with CountingSession(settings) as session:
        return list_archives(target.project, settings, session), session.bytes_fetched


def record_missing(project: Project, releases: Sequence[str], settings: IndexSettings) -> int:
    """Read those of ``releases`` from the index that have no record in ``project``, and keep them.

    Returns:
        The bytes fetched; none where all are recorded.

    Raises:
        UnknownNameError: The index does not offer one of them.
        DriftgateError: One cannot be read.
    """
    known = recorded_releases(project.surfaces)
    missing = [release for release in releases if release not in known]
    if not missing:
        return 0
    offered, fetched = listed(project, settings)
    for release in missing:
        if release not in offered:
            newest = tuple(reversed(offered))[:_SHOWN]
            raise UnknownNameError("release", release, (*newest, "…"))
    targets = Targets(
        load_target(project.matrix / "target.toml"),
        load_insides_target(project.matrix / "insides.toml"),
    )
    readings, failures = read_releases([offered[each] for each in missing], targets, settings)
    for failure in failures:
        raise failure
    keep(readings, project)
    return fetched + sum(reading.bytes_fetched for reading in readings)


def between(project: Project, old: str, new: str) -> list[str]:
    """Return the recorded releases from ``old`` to ``new``, both included, oldest first.

    Pre-releases are left out unless they are one of the two.
    """
    first, last = Version(old), Version(new)
    return [
        release
        for release in recorded_releases(project.surfaces)
        if first <= Version(release) <= last
        and (not Version(release).is_prerelease or release in (old, new))
    ]
