"""Where metadata and single files of distributions come from; nothing is installed."""

from __future__ import annotations

import importlib.metadata
import json
import sys
import threading
from collections import defaultdict
from typing import TYPE_CHECKING, Protocol

from packaging.utils import canonicalize_name
from packaging.version import InvalidVersion, Version

from driftgate.errors import DriftgateError, IndexUnavailableError
from driftgate.index.archives import open_archive
from driftgate.index.listing import list_archives
from driftgate.index.session import CountingSession
from driftgate.packages.metadata import parsed, read_release
from driftgate.packages.model import Release
from driftgate.surface.releases import load_releases
from driftgate.surface.store import write_whole
from driftgate.wheels.errors import StoreUnwritableError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from driftgate.index.listing import Archive
    from driftgate.index.settings import IndexSettings
    from driftgate.packages.rows import PackagesTarget
    from driftgate.paths import Project

_FOLDER = "packages"


class Catalogue(Protocol):
    """Answers about distributions."""

    def release(self, name: str, version: str) -> Release | None:
        """Return the metadata of one release; None where there is no such release.

        Raises:
            IndexUnavailableError: It cannot be told whether there is one.
        """

    def newest(self, name: str) -> str:
        """Return the newest release on offer; empty where there is none.

        Raises:
            IndexUnavailableError: It cannot be told.
        """

    def files(self, name: str, version: str) -> Mapping[str, str]:
        """Return those of its files that rules read, by slash-separated path.

        Raises:
            IndexUnavailableError: They cannot be had.
        """


class IndexCatalogue:
    """Releases of the index that pip is configured with, and those that are recorded.

    Args:
        project: The recorded releases.
        target: Which files to read of which distribution.
        cache: The cache folder; what was read once needs no index.
        settings: The index.
    """

    def __init__(
        self, project: Project, target: PackagesTarget, cache: Path, settings: IndexSettings
    ) -> None:
        self._target = target
        self._folder = cache / _FOLDER
        self._settings = settings
        self._recorded = load_releases(project.matrix / "releases.toml")
        self._listed: dict[str, dict[str, Archive] | IndexUnavailableError] = {}
        self._read: dict[tuple[str, str], tuple[Release, dict[str, str]] | None] = {}
        # Environments are judged several at a time, and have most distributions in common.
        self._locks: defaultdict[str, threading.RLock] = defaultdict(threading.RLock)

    def release(self, name: str, version: str) -> Release | None:
        """Return what is recorded of a release, or else what the index has; see `Catalogue`."""
        row = self._recorded.get(_normal(version)) if name == self._target.main else None
        if row is not None and row.requires_dist:
            requires = tuple(parsed(row.requires_dist))
            return Release(name, row.version, row.requires_python, requires, row.yanked)
        found = self._found(name, version)
        return found[0] if found else None

    def newest(self, name: str) -> str:
        """Return the newest release that the index offers."""
        return next(reversed(self._archives(name)), "")

    def files(self, name: str, version: str) -> Mapping[str, str]:
        """Return the files that rules read; none where there is no such release."""
        found = self._found(name, version)
        return found[1] if found else {}

    def _found(self, name: str, version: str) -> tuple[Release, dict[str, str]] | None:
        key = name, _normal(version)
        with self._locks[name]:
            if key not in self._read:
                self._read[key] = self._kept(*key) or self._fetch(*key)
            return self._read[key]

    def _fetch(self, name: str, version: str) -> tuple[Release, dict[str, str]] | None:
        # Builds of one source have one metadata, and an index may hold one of them only.
        listed = self._archives(name)
        archive = listed.get(version) or listed.get(version.partition("+")[0])
        if archive is None:
            return None
        with CountingSession(self._settings) as session, open_archive(archive, session) as opened:
            metadata = opened.metadata()
            paths = [path for path in opened.names() if self._target.wanted(name, path)]
            files = {path: opened.read(path) or "" for path in paths}
        kept = {
            "wanted": self._target.files.get(name, ()),
            "yanked": archive.yanked,
            "metadata": metadata.partition("\n\n")[0],
            "files": files,
        }
        try:
            write_whole(self._place(name, version), json.dumps(kept, indent=1) + "\n")
        except OSError as error:
            problem = (error.strerror or type(error).__name__).lower()
            raise StoreUnwritableError(self._folder, problem) from error
        return read_release(name, metadata, yanked=archive.yanked), files

    def _archives(self, name: str) -> dict[str, Archive]:
        """List a distribution once; an index that did not answer is not asked again."""
        with self._locks[name]:
            if name not in self._listed:
                self._listed[name] = self._list(name)
            listed = self._listed[name]
        if isinstance(listed, IndexUnavailableError):
            raise listed
        return listed

    def _list(self, name: str) -> dict[str, Archive] | IndexUnavailableError:
        try:
            with CountingSession(self._settings) as session:
                return list_archives(name, self._settings, session)
        except IndexUnavailableError as error:
            return error

    def _kept(self, name: str, version: str) -> tuple[Release, dict[str, str]] | None:
        """Return what was kept; None where it is missing, damaged, or other files are wanted."""
        try:
            kept = json.loads(self._place(name, version).read_text(encoding="utf-8"))
            if tuple(kept["wanted"]) != self._target.files.get(name, ()):
                return None
            return read_release(name, kept["metadata"], yanked=kept["yanked"]), kept["files"]
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def _place(self, name: str, version: str) -> Path:
        return self._folder / name / f"{version}.json"


class SiteCatalogue:
    """What is installed, by its own metadata; no index is asked.

    Args:
        target: Which files to read of which distribution.
        site: The site-packages folder; None for where driftgate runs.
    """

    def __init__(self, target: PackagesTarget, site: Path | None) -> None:
        self._target = target
        self._there: dict[str, importlib.metadata.Distribution] = {}
        for each in importlib.metadata.distributions(
            path=sys.path if site is None else [str(site)]
        ):
            if each.metadata["Name"]:
                self._there.setdefault(canonicalize_name(each.metadata["Name"]), each)

    def release(self, name: str, version: str) -> Release | None:
        """Return the metadata of what is installed, if it is of this version."""
        found = self._there.get(name)
        if found is None or found.version != version:
            return None
        text = found.read_text("METADATA") or found.read_text("PKG-INFO") or ""
        return read_release(name, text, yanked=None)

    def newest(self, name: str) -> str:
        """Return nothing: what is installed is not on offer."""
        del name
        return ""

    def files(self, name: str, version: str) -> Mapping[str, str]:
        """Return the installed files that rules read."""
        found = self._there.get(name)
        if found is None or found.version != version:
            return {}
        wanted = [each for each in found.files or () if self._target.wanted(name, each.as_posix())]
        return {each.as_posix(): _text(each) for each in wanted}


class Layered:
    """What is installed first, and the index for the rest."""

    def __init__(self, first: Catalogue, rest: Catalogue) -> None:
        self._layers = first, rest

    def release(self, name: str, version: str) -> Release | None:
        """Return the metadata from the first that has it."""
        for layer in self._layers:
            if found := layer.release(name, version):
                return found
        return None

    def newest(self, name: str) -> str:
        """Return the newest that any of them offers."""
        return next((found for layer in self._layers if (found := layer.newest(name))), "")

    def files(self, name: str, version: str) -> Mapping[str, str]:
        """Return the files from the first that has some."""
        for layer in self._layers:
            if found := layer.files(name, version):
                return found
        return {}


def _text(path: importlib.metadata.PackagePath) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise DriftgateError(f"{path}: cannot be read ({error}); reinstall it") from error


def _normal(version: str) -> str:
    try:
        return str(Version(version))
    except InvalidVersion:
        return version
