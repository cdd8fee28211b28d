"""The console that tables are printed to."""

from __future__ import annotations

import os

from rich.console import Console

# Piped output is read by tools and logs: do not fold it to a width that nobody has.
_PIPED_WIDTH = 200


def table_console() -> Console:
    """Return a console as wide as the terminal, or wide enough where there is none."""
    console = Console(highlight=False)
    if not console.is_terminal and "COLUMNS" not in os.environ:
        console.width = _PIPED_WIDTH
    return console
