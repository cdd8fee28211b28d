"""Consumers as rows spell them: a file's path is one of the checkout."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from driftgate.errors import NotACheckoutError
from driftgate.released.driven import choose_consumer

if TYPE_CHECKING:
    from driftgate.consumers import Consumer
    from driftgate.paths import Project

FILE = "file:"
_BEFORE_A_PATH = (FILE, "@")


def located(name: str, project: Project) -> str:
    """Return the name that a row gives with a path of the checkout made absolute.

    Raises:
        NotACheckoutError: It has a path, and there is no checkout.
    """
    for mark in _BEFORE_A_PATH:
        kind, found, path = name.partition(mark)
        if found:
            if not project.is_checkout:
                raise NotACheckoutError(name)
            return f"{kind}{mark}{project.root / path}"
    return name


def row_consumer(name: str, project: Project) -> Consumer:
    """Return the consumer that a row names, by that name, wherever this is run from.

    Raises:
        DriftgateError: There is no such consumer, or it cannot be had.
    """
    # Releases have more than one spelling, and answers are looked up by the row's.
    return replace(choose_consumer(located(name, project), project), name=name)
