"""A stage whose steps are in the rank's journal as soon as they begin and end."""

from __future__ import annotations

import os
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from driftgate.drive.describe import describe
from driftgate.drive.stage import Stage

if TYPE_CHECKING:
    from collections.abc import Callable

    from driftgate.ranks.cases import Case
    from driftgate.ranks.engine import RankEngine
    from driftgate.ranks.journal import Journal
    from driftgate.trace import Json


class RankStage(Stage):
    """One rank's stage.

    Attributes:
        case: What this cell is about; set by :meth:`open`.
        rank: This rank's part of the engine; set by :meth:`open`.
    """

    case: Case
    rank: RankEngine
    _journal: Journal

    def open(self, case: Case, rank: RankEngine, journal: Journal) -> None:
        """Play this case from here on, and write down what was noted before."""
        self.case = case
        self.rank = rank
        self.environment = rank.environment
        self._journal = journal
        for step in self._steps:
            journal.end(asdict(step))

    def note(self, op: str, value: Json) -> None:
        """See :class:`~driftgate.drive.stage.Stage`."""
        super().note(op, value)
        if hasattr(self, "_journal"):
            self._journal.end(asdict(self._steps[-1]))

    def step(
        self,
        op: str,
        call: Callable[[], Any],
        *,
        measure: Callable[[Any], Json] = describe,
        **args: Json,
    ) -> Any:  # noqa: ANN401 - what came back is the consumer's affair
        """See :class:`~driftgate.drive.stage.Stage`."""
        if not hasattr(self, "_journal"):
            return super().step(op, call, measure=measure, **args)
        before = len(self._steps)
        self._journal.begin(op)
        try:
            return super().step(op, call, measure=measure, **args)
        finally:
            for step in self._steps[before:]:
                self._journal.end(asdict(step))

    def failed(self, *ops: str) -> bool:
        """Whether an exception left any step of these names."""
        return any(step.op in ops and step.outcome != "ok" for step in self._steps)

    def leave(self) -> None:
        """End this process at once, as one that cannot go on."""
        self._journal.close(self.leaks)
        os._exit(0)
