"""Which archives of a project the configured indexes, folders and pages offer."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

import requests
from packaging.utils import canonicalize_name
from packaging.version import InvalidVersion, Version
from pypi_simple import (
    DistributionPackage,
    NoSuchProjectError,
    ProjectPage,
    PyPISimple,
    UnparsableFilenameError,
    UnsupportedContentTypeError,
    parse_filename,
)

from driftgate.errors import IndexUnavailableError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from driftgate.index.settings import IndexSettings

_KINDS = ("wheel", "sdist")


@dataclass(frozen=True)
class Archive:
    """One file of one release.

    Attributes:
        filename: Its name.
        version: The release, normalised.
        kind: ``wheel`` or ``sdist``.
        url: Where it is; a path for a local file.
        sha256: As the index says, or empty.
        size: In bytes, or None where the index does not say.
        uploaded: ISO date, or empty where the index does not say.
        requires_python: As the index says, or empty.
        yanked: Whether it was withdrawn.
    """

    filename: str
    version: str
    kind: str
    url: str
    sha256: str = ""
    size: int | None = None
    uploaded: str = ""
    requires_python: str = ""
    yanked: bool = False

    @property
    def is_local(self) -> bool:
        """Whether ``url`` is a path."""
        return "://" not in self.url


def list_archives(
    project: str, settings: IndexSettings, session: requests.Session
) -> dict[str, Archive]:
    """Return the archive to read for each release of ``project``, oldest release first.

    Of one release a wheel is preferred to a source archive. The main index is asked first, and
    what it says of a file stands. An index or folder that lacks the project is passed over.

    Raises:
        IndexUnavailableError: An index cannot be reached or does not answer as one.
    """
    best: dict[Version, Archive] = {}
    for archive in _offered(project, settings, session):
        version = Version(archive.version)
        known = best.get(version)
        if known is None or _rank(archive) < _rank(known):
            best[version] = archive
    return {archive.version: archive for _, archive in sorted(best.items())}


def _rank(archive: Archive) -> tuple[int, bool, bool]:
    """Prefer wheels, among them those for any platform, then those for the commonest."""
    name = archive.filename
    return _KINDS.index(archive.kind), not name.endswith("-none-any.whl"), "x86_64" not in name


def _offered(project: str, settings: IndexSettings, session: requests.Session) -> Iterator[Archive]:
    for index in settings.indexes:
        yield from _from_index(project, index, session)
    for place in settings.find_links:
        yield from _from_links(project, place, session)


def _from_index(project: str, index: str, session: requests.Session) -> Iterator[Archive]:
    if (folder := _local(index)) is not None:
        page = folder / canonicalize_name(project)
        yield from _from_folder(project, page)
        yield from _from_page_file(project, page / "index.html")
        return
    try:
        with PyPISimple(index, session=session) as client:
            packages = client.get_project_page(project).packages
    except NoSuchProjectError:
        return
    except (requests.RequestException, UnsupportedContentTypeError, ValueError) as error:
        raise IndexUnavailableError(_shown(index), _reason(error)) from error
    yield from _usable(project, packages)


def _from_links(project: str, place: str, session: requests.Session) -> Iterator[Archive]:
    if (path := _local(place)) is not None:
        yield from _from_folder(project, path) if path.is_dir() else _from_page_file(project, path)
        return
    try:
        response = session.get(place)
        response.raise_for_status()
    except requests.RequestException as error:
        raise IndexUnavailableError(_shown(place), _reason(error)) from error
    page = ProjectPage.from_html(project, response.content, base_url=response.url)
    yield from _usable(project, page.packages)


def _from_folder(project: str, folder: Path) -> Iterator[Archive]:
    if not folder.is_dir():
        return
    for file in sorted(folder.iterdir()):
        yield from _named(project, Archive(file.name, "", "", str(file)))


def _from_page_file(project: str, file: Path) -> Iterator[Archive]:
    if not file.is_file():
        return
    page = ProjectPage.from_html(project, file.read_bytes(), base_url=file.as_uri())
    yield from _usable(project, page.packages)


def _usable(project: str, packages: Iterable[DistributionPackage]) -> Iterator[Archive]:
    for package in packages:
        local = _local(package.url)
        found = Archive(
            # As pip does, by the address: a page may call the link anything.
            filename=unquote(urlsplit(package.url).path).rpartition("/")[2],
            version="",
            kind="",
            url=package.url if local is None else str(local),
            sha256=package.digests.get("sha256", ""),
            size=package.size,
            uploaded=package.upload_time.date().isoformat() if package.upload_time else "",
            requires_python=package.requires_python or "",
            yanked=package.is_yanked,
        )
        yield from _named(project, found)


def _named(project: str, archive: Archive) -> Iterator[Archive]:
    """Yield ``archive`` with the version and kind that its name says, if it is the project's."""
    try:
        name, version, kind = parse_filename(archive.filename, project)
        normalised = str(Version(version))
    except (UnparsableFilenameError, InvalidVersion):
        return
    if canonicalize_name(name) == canonicalize_name(project) and kind in _KINDS:
        yield replace(archive, version=normalised, kind=kind)


def _local(place: str) -> Path | None:
    """Return the path that ``place`` means, or None for a URL of another machine."""
    if "://" not in place:
        return Path(place).expanduser()
    parts = urlsplit(place)
    return Path(unquote(parts.path)) if parts.scheme == "file" else None


def _shown(url: str) -> str:
    """Return ``url`` without the credentials that it may carry."""
    parts = urlsplit(url)
    return parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl()


def _reason(error: Exception) -> str:
    if isinstance(error, requests.HTTPError) and error.response is not None:
        return f"answered {error.response.status_code}"
    return type(error).__name__
