"""``driftgate stub``: make stub trees."""

from __future__ import annotations

from pathlib import Path

import click

from driftgate.paths import find_project
from driftgate.stubtree.derive import write_stub
from driftgate.surface.store import load_surface


@click.group(name="stub")
def command() -> None:
    """Derive stub trees from recorded surfaces."""


@command.command()
@click.argument("release")
@click.option(
    "--into",
    required=True,
    type=click.Path(file_okay=False, path_type=Path),
    help="The stub's folder; its derived files are replaced, its other files stay.",
)
def derive(release: str, into: Path) -> None:
    """Render the recorded surface of RELEASE as an importable tree."""
    written = write_stub(load_surface(find_project().surfaces, release), into)
    click.echo(f"summary: release={release} files={len(written)}")
