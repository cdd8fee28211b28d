"""``driftgate fidelity``: historic stubs against the releases they stand for."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING

import click
from packaging.version import Version
from rich.table import Table
from rich.text import Text

from driftgate.commands.console import table_console
from driftgate.commands.options import workers_option
from driftgate.evidence import write_fidelity
from driftgate.paths import find_project
from driftgate.stubtree.behaviour import Comparison, pairs
from driftgate.stubtree.fidelity import check_fidelity
from driftgate.surface.listing import difference_lines
from driftgate.surface.releases import load_releases
from driftgate.surface.store import load_surfaces, recorded_releases
from driftgate.surface.target import load_target
from driftgate.wheels.provide import fetch_releases
from driftgate.wheels.store import WheelStore, cache_folder

if TYPE_CHECKING:
    from collections.abc import Iterator

    from driftgate.paths import Project
    from driftgate.stubtree.behaviour import ReleaseBehaviour
    from driftgate.stubtree.fidelity import FidelityReport


@click.command(name="fidelity")
@click.option(
    "--behaviour",
    is_flag=True,
    help="Also put probes and questions to the first and the last release of each stub.",
)
@click.option("--all", "every", is_flag=True, help="The same to every release that has a wheel.")
@click.option("--fetch", is_flag=True, help="Fetch the releases that the wheel store lacks.")
@click.option("--write", is_flag=True, help="Write the outcome to matrix/evidence/.")
@workers_option("Processes at a time.")
def command(*, behaviour: bool, every: bool, fetch: bool, write: bool, workers: int) -> None:
    """Compare every historic stub with every release it stands for; exit 1 where they differ."""
    started = time.monotonic()
    project = find_project()
    target = load_target(project.matrix / "target.toml")
    report = check_fidelity(project.stubs, load_surfaces(project.surfaces), target)
    report = replace(report, problems=(*report.problems, *_unequal_records(project)))
    _print(report)
    holds, figures = report.holds, ""
    if behaviour or every:
        results, problems = _compare(project, workers, every=every, fetch=fetch)
        _print_behaviour(results, problems)
        if write:
            click.echo(f"evidence: {write_fidelity(project.matrix / 'evidence', results)}")
        holds = holds and not problems and all(result.holds for result in results)
        figures = _figures(results)
    click.echo(
        f"summary: releases={len(report.releases)} stubs={report.stubs} "
        f"differences={report.differences}{figures} seconds={time.monotonic() - started:.1f}"
    )
    if not holds:
        raise click.exceptions.Exit(1)


def _unequal_records(project: Project) -> Iterator[str]:
    """Say which releases are not in all three records."""
    records = {
        "matrix/surfaces": recorded_releases(project.surfaces),
        "matrix/insides": recorded_releases(project.insides),
        "matrix/releases.toml": list(load_releases(project.matrix / "releases.toml")),
    }
    everything = {release for releases in records.values() for release in releases}
    for name, releases in records.items():
        lacking = sorted(everything.difference(releases), key=Version)
        if lacking:
            yield f"{name}: lacks {', '.join(lacking)}; run `driftgate surface record` for them"


def _compare(
    project: Project, workers: int, *, every: bool, fetch: bool
) -> tuple[list[ReleaseBehaviour], list[str]]:
    rows = load_releases(project.matrix / "releases.toml")
    wheels = [version for version, row in rows.items() if row.filename.endswith(".whl")]
    chosen = pairs(project.stubs, wheels, every=every)
    store = WheelStore(cache_folder())
    if fetch:
        missing = [pair.release for pair in chosen if store.get(pair.release) is None]
        downloaded = 0
        for entry, _, _ in fetch_releases(store, rows, missing, lean=True):
            downloaded += entry.downloaded
        click.echo(f"fetched {len(missing)} releases, {downloaded / 1e6:.1f} MB")
    comparison = Comparison(project, store, workers)
    results = []
    for result in comparison.run(chosen):
        results.append(result)
        if not result.holds:
            click.echo(f"{result.release}: {result.state}", err=True)
    return results, comparison.problems


def _print(report: FidelityReport) -> None:
    console = table_console()
    table = Table(title="stubs and the releases they stand for", title_justify="left")
    for heading in ("release", "stub", "differences"):
        table.add_column(heading)
    for item in report.releases:
        wrong = item.problem or (str(len(item.differences)) if item.differences else "")
        verdict = Text(wrong, style="bold red") if wrong else Text("none", style="green")
        table.add_row(item.release, ", ".join(item.stubs), verdict)
    console.print(table)
    for item in report.releases:
        if item.differences:
            console.print(
                f"{item.release} (old) and {', '.join(item.stubs)} (new):", soft_wrap=True
            )
            for line in difference_lines(item.differences, console.width):
                console.print(line, soft_wrap=True)
    for problem in report.problems:
        console.print(Text(problem, style="bold red"), soft_wrap=True)


def _print_behaviour(results: list[ReleaseBehaviour], problems: list[str]) -> None:
    console = table_console()
    table = Table(title="what stubs and releases answered", title_justify="left")
    for heading in ("release", "stub", "probes", "questions", "allowed", "answers"):
        table.add_column(heading)
    for item in results:
        said = item.not_run or item.error or "the same"
        if item.unexplained:
            said = f"{len(item.unexplained)} differ"
        style = {"same": "green", "not-run": "yellow"}.get(item.state, "bold red")
        allowed = len(item.differences) - len(item.unexplained)
        figures = (str(item.probes), str(item.questions), str(allowed))
        table.add_row(item.release, item.stub, *figures, Text(said, style=style))
    console.print(table)
    for item in results:
        for difference in item.unexplained:
            for line in difference.lines():
                console.print(line, markup=False, soft_wrap=True)
    for problem in problems:
        console.print(Text(problem, style="bold red"), soft_wrap=True)


def _figures(results: list[ReleaseBehaviour]) -> str:
    unexplained = sum(len(result.unexplained) for result in results)
    figures = {
        "probed": sum(1 for result in results if result.probes),
        "probes": sum(result.probes for result in results),
        "questions": sum(result.questions for result in results),
        "allowed": sum(len(result.differences) for result in results) - unexplained,
        "unexplained": unexplained,
        "error": sum(result.state == "error" for result in results),
        "not-run": sum(result.state == "not-run" for result in results),
    }
    return "".join(f" {name}={figure}" for name, figure in figures.items())
