"""Kinds of cases, one module each: what a row says of one, and how a question of it is answered."""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache
from typing import TYPE_CHECKING, Any, Protocol, cast

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from driftgate.backtest.model import Answer, Question
    from driftgate.paths import Project


class Family(Protocol):
    """One kind of case.

    Attributes:
        KEYS: Each key of a case with its type, as :func:`driftgate.toml.check` takes it.
        REQUIRED: The keys that every case of the kind has.
    """

    KEYS: dict[str, Any]
    REQUIRED: tuple[str, ...]

    def contracts(self, project: Project) -> Collection[str]:
        """Return the ids of all contracts that such a case can be asked for."""

    def ask(
        self, questions: Sequence[Question], project: Project, workers: int
    ) -> Iterator[tuple[Question, Answer]]:
        """Answer all questions, in any order, each as soon as its answer is known.

        Raises:
            DriftgateError: A case names what is not there.
        """


@cache
def all_families() -> dict[str, Family]:
    """Return every kind of case by its name."""
    names = [info.name for info in pkgutil.iter_modules(__path__)]
    return {name: cast("Family", importlib.import_module(f"{__name__}.{name}")) for name in names}


def family_of(keys: Collection[str]) -> str | None:
    """Return the most demanding kind of case that these keys fit; None where they fit none."""
    fitting = [
        name
        for name, family in all_families().items()
        if set(family.REQUIRED) <= set(keys) <= set(family.KEYS)
    ]
    return max(fitting, key=lambda name: len(all_families()[name].REQUIRED), default=None)
