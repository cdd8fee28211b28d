"""``driftgate surface``: record, show and compare surfaces."""

from __future__ import annotations

import json
import time
from typing import Any

import click
from rich.console import Console
from rich.progress import Progress

from driftgate.commands.console import table_console
from driftgate.index.settings import read_settings
from driftgate.paths import find_project
from driftgate.surface.diff import diff as diff_surfaces
from driftgate.surface.difference import Level
from driftgate.surface.record import Reading, choose, keep, offered_releases, read_releases
from driftgate.surface.serial import surface_to_json
from driftgate.surface.store import load_surface
from driftgate.surface.tables import difference_table, surface_lines
from driftgate.surface.target import load_target


@click.group(name="surface")
def command() -> None:
    """Record, show and compare the surfaces of releases."""


@command.command()
@click.argument("releases", nargs=-1, metavar="[RELEASE]...")
def record(releases: tuple[str, ...]) -> None:
    """Read releases from the package index and keep their surfaces; default: all of them.

    Nothing is imported or executed. The index is the one pip is configured with.
    """
    started = time.monotonic()
    project = find_project()
    target = load_target(project.matrix / "target.toml")
    settings = read_settings()
    offer = offered_releases(target, settings)
    archives = choose(offer, releases)
    console = Console(stderr=True)
    with Progress(console=console, transient=True, disable=not console.is_terminal) as progress:
        task = progress.add_task("reading", total=len(archives))

        def on_read(reading: Reading) -> None:
            progress.update(task, advance=1, description=f"read {reading.row.version}")

        readings = read_releases(archives, target, settings, on_read)
    keep(readings, project.surfaces, project.matrix / "releases.toml")
    fetched = offer.bytes_fetched + sum(reading.bytes_fetched for reading in readings)
    wheels = [item for item in readings if item.row.filename.endswith(".whl") and item.row.size]
    largest = max((item.bytes_fetched / item.row.size for item in wheels), default=0)
    click.echo(
        f"summary: releases={len(readings)} bytes-fetched={fetched} "
        f"largest-part-of-a-wheel={largest:.1%} seconds={time.monotonic() - started:.1f}"
    )


_as_json = click.option("--json", "as_json", is_flag=True, help="Print JSON instead of a table.")


@command.command()
@click.argument("release")
@_as_json
def show(release: str, *, as_json: bool) -> None:
    """Show the recorded surface of RELEASE."""
    surface = load_surface(find_project().surfaces, release)
    if as_json:
        _print_json(surface_to_json(surface))
    else:
        for line in surface_lines(surface):
            click.echo(line)


@command.command()
@click.argument("old")
@click.argument("new")
@_as_json
def diff(old: str, new: str, *, as_json: bool) -> None:
    """Show what differs between the recorded surfaces of two releases."""
    folder = find_project().surfaces
    differences = diff_surfaces(load_surface(folder, old), load_surface(folder, new))
    if as_json:
        _print_json([difference.as_dict() for difference in differences])
        return
    if differences:
        table_console().print(difference_table(differences))
    counts = [
        f"{level.value}={sum(item.level is level for item in differences)}" for level in Level
    ]
    click.echo(f"summary: differences={len(differences)} {' '.join(counts)}")


def _print_json(value: Any) -> None:  # noqa: ANN401 - any JSON
    click.echo(json.dumps(value, indent=1, ensure_ascii=False))
