"""``driftgate calls``: which upstream calls a consumer makes, and which releases take them."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING

import click

from driftgate.calls.check import CallReport, check_calls
from driftgate.calls.tables import mention_lines, verdict_table
from driftgate.commands.console import table_console
from driftgate.index.settings import read_settings
from driftgate.kept import keep
from driftgate.paths import find_project
from driftgate.released.sources import find_sources
from driftgate.results import line_of, new_path
from driftgate.surface.store import load_surface, recorded_releases
from driftgate.wheels.store import cache_folder

if TYPE_CHECKING:
    from driftgate.paths import Project
    from driftgate.surface.model import Surface


@click.command(name="calls")
@click.argument("consumer", default="ours")
@click.option("--release", "releases", multiple=True, help="Only this release; may be repeated.")
@click.option("--all", "everything", is_flag=True, help="All recorded releases; the default.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of a table.")
def command(consumer: str, releases: tuple[str, ...], *, everything: bool, as_json: bool) -> None:
    """Bind the calls that CONSUMER makes into the upstream against recorded releases.

    CONSUMER is `ours`, `file:PATH`, or a release such as `sglang==0.5.23`. Nothing of it is
    imported or run.
    """
    if releases and everything:
        raise click.UsageError("--release and --all exclude each other")
    started = time.monotonic()
    project = find_project()
    surfaces = _surfaces(project, releases)
    sources = find_sources(consumer, project.matrix, cache_folder(), read_settings())
    report = check_calls(sources, surfaces, project)
    # For `driftgate finding`: the verdicts themselves are told whether or not this can be written.
    keep(new_path(project.results / "results"), "".join(map(line_of, report.results())))
    if as_json:
        click.echo(json.dumps(report.as_dict(), indent=1))
        return
    table_console().print(verdict_table(report))
    for line in mention_lines(report.usage):
        click.echo(line)
    click.echo(_summary(report, time.monotonic() - started))


def _surfaces(project: Project, releases: tuple[str, ...]) -> list[Surface]:
    known = recorded_releases(project.surfaces)
    wanted = [release for release in known if release in releases] if releases else known
    for release in releases:
        # Says which are known where this one is not.
        load_surface(project.surfaces, release)
    return [load_surface(project.surfaces, release) for release in wanted]


def _summary(report: CallReport, seconds: float) -> str:
    counts = " ".join(f"{name}={count}" for name, count in report.counts().items())
    return (
        f"summary: releases={len(report.releases)} pinned={report.pinned or 'none'} "
        f"calls={len(report.usage.calls)} {counts} seconds={seconds:.1f}"
    )
