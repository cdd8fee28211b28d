"""``driftgate contracts``: the rules as a page."""

from __future__ import annotations

from pathlib import Path

import click

from driftgate.report.contracts import contracts_page


@click.command("contracts")
@click.option(
    "--write", type=click.Path(dir_okay=False, path_type=Path), help="Write the page to this file."
)
def command(write: Path | None) -> None:
    """Print every contract, or write the documentation page."""
    if write is None:
        click.echo(contracts_page(), nl=False)
    else:
        write.write_text(contracts_page(), encoding="utf-8")
