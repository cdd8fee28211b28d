"""``driftgate fidelity``: historic stubs against the releases they stand for."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import click
from rich.table import Table
from rich.text import Text

from driftgate.commands.console import table_console
from driftgate.paths import find_project
from driftgate.stubtree.fidelity import check_fidelity
from driftgate.surface.listing import difference_lines
from driftgate.surface.store import load_surfaces
from driftgate.surface.target import load_target

if TYPE_CHECKING:
    from driftgate.stubtree.fidelity import FidelityReport


@click.command(name="fidelity")
def command() -> None:
    """Compare every historic stub with every release it stands for; exit 1 where they differ."""
    started = time.monotonic()
    project = find_project()
    target = load_target(project.matrix / "target.toml")
    report = check_fidelity(project.stubs, load_surfaces(project.surfaces), target)
    _print(report)
    click.echo(
        f"summary: releases={len(report.releases)} stubs={report.stubs} "
        f"differences={report.differences} seconds={time.monotonic() - started:.1f}"
    )
    if not report.holds:
        raise click.exceptions.Exit(1)


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
            console.print(f"{item.release} (old) and {', '.join(item.stubs)} (new):")
            for line in difference_lines(item.differences, console.width):
                console.print(line, soft_wrap=True)
    for problem in report.problems:
        console.print(Text(problem, style="bold red"))
