"""``driftgate wheels``: the store of unpacked releases."""

from __future__ import annotations

from pathlib import Path

import click
from packaging.version import InvalidVersion, Version

from driftgate.errors import UnknownNameError
from driftgate.paths import find_project
from driftgate.surface.releases import load_releases
from driftgate.wheels.provide import fetch_releases
from driftgate.wheels.record import ENTRY
from driftgate.wheels.store import CACHE_VARIABLE, WheelStore, cache_folder


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
    downloaded = unpacked = 0
    for entry, fetched, yanked in fetch_releases(store, rows, wanted, lean=lean):
        state = "fetched" if fetched else "kept"
        click.echo(_line(state, entry.version, entry.verified.value, yanked=yanked))
        downloaded += entry.downloaded if fetched else 0
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
    damaged = store.damaged()
    for name in damaged:
        remedy = f"run `driftgate wheels fetch {name}`, or prune it"
        click.echo(f"{'DAMAGED':>10} {name:<14} no readable {ENTRY}; {remedy}")
    total = sum(entry.unpacked for entry in entries)
    click.echo(
        f"summary: releases={len(entries)} damaged={len(damaged)} unpacked={total} "
        f"folder={store.root}"
    )


@command.command()
@click.argument("versions", nargs=-1, metavar="[VERSION]...")
@click.option("--all", "everything", is_flag=True, help="Every release in the store.")
@click.pass_obj
def prune(store: WheelStore, versions: tuple[str, ...], *, everything: bool) -> None:
    """Remove releases, what runs that died left behind, and what is damaged.

    Without a VERSION only releases that are not recorded in the matrix are removed.
    """
    there = {entry.version: entry for entry in store.entries()}
    if versions:
        doomed = [_normalised(version) for version in versions]
        known = (*there, *store.damaged())
        for version in doomed:
            if version not in known:
                raise UnknownNameError("release in the store", version, known)
    elif everything:
        doomed = list(there)
    else:
        rows = load_releases(find_project().matrix / "releases.toml")
        doomed = [version for version in there if version not in rows]
    for version in doomed:
        store.remove(version)
        click.echo(f"removed {version}")
    freed = sum(there[version].unpacked for version in doomed if version in there)
    click.echo(f"summary: removed={len(doomed)} freed={freed} swept={store.sweep()}")


def _normalised(version: str) -> str:
    try:
        return str(Version(version))
    except InvalidVersion as error:
        raise click.BadParameter(f"{version!r} is no version") from error


def _line(first: str, version: str, verified: str, *, yanked: bool) -> str:
    return f"{first:>10} {version:<14} checked against {verified}{'  YANKED' if yanked else ''}"
