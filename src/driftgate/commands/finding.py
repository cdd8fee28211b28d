"""``driftgate finding``: what the last runs found, one by one, and as reports to send."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import click
from rich.box import SIMPLE
from rich.table import Table
from rich.text import Text

from driftgate.commands.console import table_console
from driftgate.known.gather import KnownFindings
from driftgate.known.suggestions import read_refs, read_suggestions
from driftgate.paths import find_project
from driftgate.report.issue import issue_page

if TYPE_CHECKING:
    from collections.abc import Sequence

    from driftgate.known.model import Known

_FORMS = ("text", "issue", "json")


@click.command("finding")
@click.argument("finding", metavar="[ID]", default="")
@click.option(
    "--as",
    "form",
    type=click.Choice(_FORMS),
    default="text",
    show_default=True,
    help="For people here, as a report to send, or for machines.",
)
def command(finding: str, form: str) -> None:
    """Show what the last runs found, or the finding that is called ID.

    Nothing is run and nothing fetched: this reads the results of the last runs and what the grid
    has kept. Without ID all of them are listed.
    """
    project = find_project()
    findings = KnownFindings(project)
    if not finding:
        _list(findings.all(), form)
        return
    known = findings.find(finding)
    if form == "issue":
        suggestions = read_suggestions(project.matrix / "suggestions.toml")
        refs = read_refs(project.matrix / "incidents.toml")
        click.echo(issue_page(known, suggestions, refs, project.root), nl=False)
    elif form == "json":
        click.echo(json.dumps(known.as_dict(), indent=1))
    else:
        _show(known)


def _list(findings: Sequence[Known], form: str) -> None:
    if form == "issue":
        raise click.UsageError("--as issue needs the ID of a finding")
    if form == "json":
        click.echo(json.dumps([each.as_dict() for each in findings], indent=1))
        return
    table = Table("finding", "consumer", "upstream", "what", box=SIMPLE, pad_edge=False)
    table.columns[0].no_wrap = True
    for known in findings:
        finding = known.best.finding
        what = f"{finding.symbol or 'the consumer'}: {finding.got}"
        table.add_row(known.id, known.best.cell.consumer, known.best.cell.upstream, _cut(what))
    table_console().print(table)
    click.echo(f"summary: findings={len(findings)}")


def _show(known: Known) -> None:
    finding = known.best.finding
    click.echo(f"{known.id}: {finding.symbol or 'the consumer'}")
    click.echo(f"  expected {finding.expected}, got {finding.got}")
    if finding.site:
        click.echo(f"  at {finding.site}")
    if known.reach is not None:
        defect = known.reach.defect
        good = defect.first_good or "none yet"
        click.echo(f"  first bad {defect.first_bad}, first good {good}")
        for extent in defect.extents:
            click.echo(f"  {extent.consumers} on {extent.releases}")
    for each in known.seen:
        click.echo(f"  in {each.cell}")
    click.echo(f"again: {known.command()}")


def _cut(text: str, most: int = 90) -> Text:
    return Text(text if len(text) <= most else f"{text[: most - 1]}…")
