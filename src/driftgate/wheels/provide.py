"""Have releases in the wheel store, fetched with a bar on stderr where they are not there yet."""

from __future__ import annotations

import functools
from contextlib import closing
from typing import TYPE_CHECKING

from rich.console import Console
from rich.progress import (
    BarColumn,
    DownloadColumn,
    Progress,
    TaskID,
    TextColumn,
    TransferSpeedColumn,
)

from driftgate.errors import DriftgateError
from driftgate.index.listing import Archive, list_archives
from driftgate.index.session import CountingSession
from driftgate.index.settings import read_settings
from driftgate.surface.releases import load_releases
from driftgate.wheels.fetch import fetch_wheel
from driftgate.wheels.store import WheelStore, cache_folder

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from driftgate.paths import Project
    from driftgate.surface.releases import ReleaseRow
    from driftgate.wheels.store import Entry

_PROJECT = "flashinfer-python"


def fetch_releases(
    store: WheelStore, rows: Mapping[str, ReleaseRow], versions: Iterable[str], *, lean: bool
) -> Iterator[tuple[Entry, bool, bool]]:
    """Fetch and unpack releases; those that are there already need no network.

    Args:
        store: Where they go.
        rows: What is recorded of each release.
        versions: The releases.
        lean: Fetch without the kernel sources.

    Yields:
        The entry, whether it was fetched just now, and whether the release is yanked.

    Raises:
        DriftgateError: One cannot be had, or is not what was recorded.
    """
    settings = read_settings()
    with CountingSession(settings) as session:

        @functools.cache
        def archives() -> Mapping[str, Archive]:
            return list_archives(_PROJECT, settings, session)

        for version in versions:
            row = rows.get(version)
            with closing(_Bar()) as bar:
                entry = fetch_wheel(
                    version, store, archives, session, pinned=row, progress=bar, lean=lean
                )
            fetched = bar.has_started
            yield entry, fetched, row.yanked if row else fetched and archives()[version].yanked


def fetch_missing(project: Project, releases: Iterable[str]) -> None:
    """Fetch what of ``releases`` the user's store lacks, without kernel sources.

    Raises:
        DriftgateError: One cannot be had.
    """
    rows = load_releases(project.matrix / "releases.toml")
    for _ in fetch_releases(WheelStore(cache_folder()), rows, releases, lean=True):
        pass


def why_missing(project: Project, releases: Iterable[str]) -> str:
    """Fetch as above; return why one cannot be had, in one line, or empty."""
    try:
        fetch_missing(project, releases)
    except DriftgateError as error:
        return f"the releases themselves were not run: {error}"
    return ""


class _Bar:
    """A bar on stderr while a download is under way."""

    def __init__(self) -> None:
        self._progress: Progress | None = None
        self._task = TaskID(0)

    def start(self, filename: str, total: int | None) -> None:
        """Show the bar."""
        columns = (
            TextColumn("{task.description}"),
            BarColumn(),
            DownloadColumn(),
            TransferSpeedColumn(),
        )
        console = Console(stderr=True)
        self._progress = Progress(
            *columns, console=console, transient=True, disable=not console.is_terminal
        )
        self._task = self._progress.add_task(filename, total=total)
        self._progress.start()

    @property
    def has_started(self) -> bool:
        """Whether there was anything to fetch."""
        return self._progress is not None

    def advance(self, count: int) -> None:
        """Move it on."""
        if self._progress is not None:
            self._progress.advance(self._task, count)

    def close(self) -> None:
        """Take it away, so that nothing printed mixes with it."""
        if self._progress is not None:
            self._progress.stop()
