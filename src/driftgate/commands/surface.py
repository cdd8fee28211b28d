"""``driftgate surface``: record, show and compare surfaces."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.progress import Progress

from driftgate.commands.console import table_console
from driftgate.errors import NotACheckoutError
from driftgate.index.settings import read_settings
from driftgate.insides.changes import changes, verdict
from driftgate.insides.serial import insides_to_json
from driftgate.insides.siblings import disagreements
from driftgate.insides.store import load_insides
from driftgate.insides.tables import insides_lines
from driftgate.insides.target import load_insides_target
from driftgate.paths import find_project
from driftgate.surface.difference import Level
from driftgate.surface.listing import difference_lines
from driftgate.surface.record import Targets, choose, keep, offered_releases, read_releases
from driftgate.surface.serial import surface_to_json
from driftgate.surface.store import load_surface
from driftgate.surface.tables import surface_lines
from driftgate.surface.target import load_target


@click.group(name="surface")
def command() -> None:
    """Record, show and compare the surfaces of releases."""


@command.command()
@click.argument("releases", nargs=-1, metavar="[RELEASE]...")
def record(releases: tuple[str, ...]) -> None:
    """Read releases from the package index and keep what they are; default: all of them.

    Nothing is imported or executed. The index is the one pip is configured with. Releases that
    cannot be read are named, and the others are kept.
    """
    started = time.monotonic()
    project = find_project()
    if not project.is_checkout:
        raise NotACheckoutError(Path.cwd())
    target = load_target(project.matrix / "target.toml")
    targets = Targets(target, load_insides_target(project.matrix / "insides.toml"))
    settings = read_settings()
    offer = offered_releases(target, settings)
    archives = choose(offer, releases)
    console = Console(stderr=True)
    with Progress(console=console, transient=True, disable=not console.is_terminal) as progress:
        task = progress.add_task("reading", total=len(archives))

        def on_read(release: str) -> None:
            progress.update(task, advance=1, description=f"read {release}")

        readings, failures = read_releases(archives, targets, settings, on_read)
    keep(readings, project)
    for failure in failures:
        click.echo(f"driftgate: {failure}", err=True)
    fetched = offer.bytes_fetched + sum(reading.bytes_fetched for reading in readings)
    wheels = [item for item in readings if item.row.filename.endswith(".whl") and item.row.size]
    largest = max((item.bytes_fetched / item.row.size for item in wheels), default=0)
    click.echo(
        f"summary: releases={len(readings)} failed={len(failures)} bytes-fetched={fetched} "
        f"largest-part-of-a-wheel={largest:.1%} seconds={time.monotonic() - started:.1f}"
    )
    if failures:
        raise click.exceptions.Exit(failures[0].exit_code)


_as_json = click.option("--json", "as_json", is_flag=True, help="Print JSON instead of a table.")


@command.command()
@click.argument("release")
@_as_json
def show(release: str, *, as_json: bool) -> None:
    """Show the recorded surface of RELEASE, and what it does inside."""
    project = find_project()
    surface = load_surface(project.surfaces, release)
    insides = load_insides(project.insides, release)
    if as_json:
        _print_json({**surface_to_json(surface), "insides": insides_to_json(insides)})
        return
    for line in (*surface_lines(surface), *insides_lines(insides, disagreements(surface))):
        click.echo(line)


@command.command()
@click.argument("old")
@click.argument("new")
@_as_json
def diff(old: str, new: str, *, as_json: bool) -> None:
    """Show what changed from release OLD to release NEW, as far as the records tell.

    The verdict is the worst level found. Nothing here knows what a consumer uses of it.
    """
    differences = changes(find_project(), old, new)
    if as_json:
        _print_json([difference.as_dict() for difference in differences])
        return
    console = table_console()
    for line in difference_lines(differences, console.width):
        console.print(line, soft_wrap=True)
    counts = [
        f"{level.value}={sum(item.level is level for item in differences)}" for level in Level
    ]
    click.echo(f"verdict: {verdict(differences)}")
    click.echo(f"summary: differences={len(differences)} {' '.join(counts)}")


def _print_json(value: Any) -> None:  # noqa: ANN401 - any JSON
    click.echo(json.dumps(value, indent=1, ensure_ascii=False))
