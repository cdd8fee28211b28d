"""``driftgate bump``: the verdict on moving the upstream's pin."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from typing import TYPE_CHECKING

import click
from rich.console import Console

from driftgate.bump.model import Report, Verdict
from driftgate.bump.staging import staged
from driftgate.bump.steps import Order, find_verdict
from driftgate.bump.text import report_lines
from driftgate.bump.write import Written, write_bump
from driftgate.commands.console import table_console
from driftgate.consumers import OURS
from driftgate.errors import NotACheckoutError
from driftgate.index.settings import read_settings
from driftgate.paths import find_project

if TYPE_CHECKING:
    from collections.abc import Iterator


@click.command(name="bump")
@click.argument("new")
@click.option("--from", "old", default="", help="The release moved from; default: the pin.")
@click.option(
    "--consumer", default=OURS, show_default=True, help="ours, file:PATH, sglang==VERSION …"
)
@click.option("--static", is_flag=True, help="Run nothing: only what the text tells.")
@click.option(
    "--write",
    is_flag=True,
    help="Record NEW, give it a stub, move the pin, and write a report for the pull request.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of the report.")
@click.pass_context
def command(  # noqa: PLR0913, PLR0917 - one parameter an option
    context: click.Context,
    new: str,
    old: str,
    consumer: str,
    static: bool,  # noqa: FBT001 - click hands flags over so
    write: bool,  # noqa: FBT001
    as_json: bool,  # noqa: FBT001
) -> None:
    """Say what breaks where the pin moves to release NEW, and what to do about it.

    Nothing in the checkout changes without --write. Exits with 0 where the bump is safe, 1 where
    something has to be done, 2 on bad input, 3 where the harness itself failed.
    """
    started = time.monotonic()
    project = find_project()
    if write and not project.is_checkout:
        raise NotACheckoutError(Path.cwd())
    order = Order(new, old, consumer, static, os.cpu_count() or 1)
    with staged(project) as stage:
        with Console(stderr=True).status("starting") as status:
            report = find_verdict(order, stage.copy, read_settings(), status.update)
        written = write_bump(report, stage) if write else None
    if as_json:
        click.echo(json.dumps(report.as_dict(), indent=1, ensure_ascii=False))
    else:
        _print(report)
        for line in _written_lines(written):
            click.echo(line)
        click.echo(f"summary: {_counts(report)} seconds={time.monotonic() - started:.1f}")
    if not report.verdict.is_safe:
        context.exit(1)


def _print(report: Report) -> None:
    console = table_console()
    for line in report_lines(report, console.width):
        console.print(line, soft_wrap=True)


def _written_lines(written: Written | None) -> Iterator[str]:
    if written is not None:
        for file in written.files:
            yield f"wrote {file}"
        if written.page is not None:
            yield f"report: {written.page}"


def _counts(report: Report) -> str:
    """Return how many lines ask for what."""
    counts = {
        "blocked": sum(line.verdict is Verdict.BLOCKED for line in report.lines),
        "change": sum(line.verdict is Verdict.CHANGE for line in report.lines),
        "gpu": sum(line.verdict is Verdict.GPU for line in report.lines),
        "safe": sum(line.verdict.is_safe for line in report.lines),
        "already": len(report.already),
        "not-used": len(report.unused),
    }
    return " ".join(f"{name}={count}" for name, count in counts.items())
