"""``driftgate wheels``: the store of unpacked releases."""

from __future__ import annotations

import functools
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import click
from packaging.version import InvalidVersion, Version
from rich.console import Console
from rich.progress import (
    BarColumn,
    DownloadColumn,
    Progress,
    TaskID,
    TextColumn,
    TransferSpeedColumn,
)

from driftgate.errors import UnknownNameError
from driftgate.index.listing import Archive, list_archives
from driftgate.index.session import CountingSession
from driftgate.index.settings import read_settings
from driftgate.paths import find_project
from driftgate.surface.releases import load_releases
from driftgate.wheels.fetch import fetch_wheel
from driftgate.wheels.store import CACHE_VARIABLE, WheelStore, cache_folder

if TYPE_CHECKING:
    from collections.abc import Mapping

_PROJECT = "flashinfer-python"


@click.group(name="wheels")
@click.option(
    "--cache",
    type=click.Path(file_okay=False, path_type=Path),
    help=f"The cache folder; default: {CACHE_VARIABLE}, or driftgate in the user's cache.",
)
@click.pass_context
def command(ctx: click.Context, cache: Path | None) -> None:
    """Keep real releases unpacked, for the wheel tier."""
    ctx.obj = WheelStore(cache or cache_folder())


@command.command()
@click.argument("versions", nargs=-1, metavar="[VERSION]...")
@click.option("--all", "everything", is_flag=True, help="Every recorded release that has a wheel.")
@click.option(
    "--lean",
    is_flag=True,
    help="Fetch half the bytes: leave out the kernel sources, and check each file against the "
    "wheel's own RECORD instead of the wheel against its hash.",
)
@click.pass_obj
def fetch(store: WheelStore, versions: tuple[str, ...], *, everything: bool, lean: bool) -> None:
    """Fetch and unpack releases; those that are there already need no network."""
    rows = load_releases(find_project().matrix / "releases.toml")
    wanted = [_normalised(version) for version in versions]
    if everything:
        wanted = [version for version, row in rows.items() if row.filename.endswith(".whl")]
    if not wanted:
        raise click.UsageError("name releases, or use --all")
    settings = read_settings()
    downloaded = unpacked = 0
    with CountingSession(settings) as session:

        @functools.cache
        def archives() -> Mapping[str, Archive]:
            return list_archives(_PROJECT, settings, session)

        for version in wanted:
            before, row = store.get(version), rows.get(version)
            with closing(_Bar()) as bar:
                entry = fetch_wheel(
                    version, store, archives, session, pinned=row, progress=bar, lean=lean
                )
            state = "kept" if entry == before else "fetched"
            yanked = row.yanked if row else state == "fetched" and archives()[version].yanked
            click.echo(_line(state, version, entry.verified.value, yanked=yanked))
            downloaded += entry.downloaded if state == "fetched" else 0
            unpacked += entry.unpacked
    click.echo(f"summary: releases={len(wanted)} downloaded={downloaded} unpacked={unpacked}")


@command.command(name="list")
@click.pass_obj
def list_(store: WheelStore) -> None:
    """List what is in the store."""
    rows = load_releases(find_project().matrix / "releases.toml")
    entries = store.entries()
    for entry in entries:
        row = rows.get(entry.version)
        yanked = row is not None and row.yanked
        size = f"{entry.unpacked / 1e6:.1f} MB"
        click.echo(_line(size, entry.version, entry.verified.value, yanked=yanked))
    total = sum(entry.unpacked for entry in entries)
    click.echo(f"summary: releases={len(entries)} unpacked={total} folder={store.root}")


@command.command()
@click.argument("versions", nargs=-1, metavar="[VERSION]...")
@click.option("--all", "everything", is_flag=True, help="Every release in the store.")
@click.pass_obj
def prune(store: WheelStore, versions: tuple[str, ...], *, everything: bool) -> None:
    """Remove releases, and what runs that died left behind.

    Without a VERSION only releases that are not recorded in the matrix are removed.
    """
    there = {entry.version: entry for entry in store.entries()}
    if versions:
        doomed = [_normalised(version) for version in versions]
        for version in doomed:
            if version not in there:
                raise UnknownNameError("release in the store", version, tuple(there))
    elif everything:
        doomed = list(there)
    else:
        rows = load_releases(find_project().matrix / "releases.toml")
        doomed = [version for version in there if version not in rows]
    for version in doomed:
        store.remove(version)
        click.echo(f"removed {version}")
    freed = sum(there[version].unpacked for version in doomed)
    click.echo(f"summary: removed={len(doomed)} freed={freed} swept={store.sweep()}")


def _normalised(version: str) -> str:
    try:
        return str(Version(version))
    except InvalidVersion as error:
        raise click.BadParameter(f"{version!r} is no version") from error


def _line(first: str, version: str, verified: str, *, yanked: bool) -> str:
    return f"{first:>10} {version:<14} checked against {verified}{'  YANKED' if yanked else ''}"


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

    def advance(self, count: int) -> None:
        """Move it on."""
        if self._progress is not None:
            self._progress.advance(self._task, count)

    def close(self) -> None:
        """Take it away, so that nothing printed mixes with it."""
        if self._progress is not None:
            self._progress.stop()
