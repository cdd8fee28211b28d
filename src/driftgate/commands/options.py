"""Options that several commands have, and the bar that they show meanwhile."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, TypeVar

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

if TYPE_CHECKING:
    from collections.abc import Callable

Command = TypeVar("Command", bound="Callable[..., object]")


def workers_option(
    text: str = "Processes that cells are forked from.",
) -> Callable[[Command], Command]:
    """Return ``-n``: how many of what ``text`` says; as many as there are cores by itself."""
    return click.option(
        "-n",
        "workers",
        type=click.IntRange(min=1),
        default=os.cpu_count() or 1,
        show_default="number of cores",
        help=text,
    )


def rows_option(command: Command) -> Command:
    """Add ``--json``, of commands whose results are rows."""
    text = "Print result rows instead of the report."
    return click.option("--json", "as_json", is_flag=True, help=text)(command)


def progress_bar() -> Progress:
    """Return a bar with a description and a count, on a terminal's stderr alone."""
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        console=Console(stderr=True),
        transient=True,
        disable=not os.isatty(2),
    )
