"""Ask everything that the rows ask, each family its own questions at once."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from driftgate.backtest.families import all_families, family_of
from driftgate.errors import HarnessError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from driftgate.backtest.model import Answer, Question
    from driftgate.paths import Project


def ask_all(
    questions: Iterable[Question], project: Project, workers: int
) -> Iterator[tuple[Question, Answer]]:
    """Yield each question with its answer, as soon as it is known.

    Args:
        questions: What to ask, each once.
        project: Where data lies and what was found is kept.
        workers: Processes at a time.

    Raises:
        DriftgateError: A case names what is not there, or the harness failed.
    """
    by_family: dict[str, list[Question]] = defaultdict(list)
    for question in questions:
        family = family_of([key for key, _ in question.case.values])
        if family is None:
            raise HarnessError(f"no family of cases is like {question.case}; see backtest/rows.py")
        by_family[family].append(question)
    for name, asked in by_family.items():
        yield from all_families()[name].ask(asked, project, workers)
