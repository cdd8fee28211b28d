"""``driftgate surface``: record, show and compare surfaces."""

from __future__ import annotations

import time

import click
from rich.console import Console
from rich.progress import Progress

from driftgate.index.settings import read_settings
from driftgate.paths import find_project
from driftgate.surface.record import Reading, choose, keep, offered_releases, read_releases
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
    with Progress(console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("reading", total=len(archives))

        def on_read(reading: Reading) -> None:
            progress.update(task, advance=1, description=f"read {reading.row.version}")

        readings = read_releases(archives, target, settings, on_read)
    keep(readings, project.surfaces, project.matrix / "releases.toml")
    fetched = offer.bytes_fetched + sum(reading.bytes_fetched for reading in readings)
    worst = max(
        (item.bytes_fetched / item.row.size for item in readings if item.row.size), default=0
    )
    click.echo(
        f"summary: releases={len(readings)} bytes-fetched={fetched} "
        f"largest-part={worst:.1%} seconds={time.monotonic() - started:.1f}"
    )
