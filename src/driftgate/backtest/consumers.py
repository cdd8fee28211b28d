"""Consumers as rows spell them: a file's path is one of the checkout."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from driftgate.consumers import find_consumer
from driftgate.released.driven import choose_consumer

if TYPE_CHECKING:
    from driftgate.consumers import Consumer
    from driftgate.paths import Project

FILE = "file:"


def row_consumer(name: str, project: Project) -> Consumer:
    """Return the consumer that a row names, wherever this is run from.

    Raises:
        DriftgateError: There is no such consumer, or it cannot be had.
    """
    if not name.startswith(FILE):
        return choose_consumer(name, project)
    path = project.root / name.removeprefix(FILE)
    return replace(find_consumer(f"{FILE}{path}"), name=name)
