"""Everything that the last runs and the grid hold, each finding once."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from driftgate.errors import UnknownNameError
from driftgate.known.model import Known
from driftgate.known.reach import KeptGrid
from driftgate.known.runs import known_from_runs

if TYPE_CHECKING:
    from driftgate.paths import Project


class KnownFindings:
    """What is known without running anything.

    Args:
        project: Where runs and the grid keep what they found.
    """

    def __init__(self, project: Project) -> None:
        self._grid = KeptGrid(project)
        self._known = known_from_runs(project.results / "results")
        for name, known in self._grid.known().items():
            mine = self._known.get(name)
            seen = {each.cell: each for each in (*known.seen, *(mine.seen if mine else ()))}
            best_first = sorted(seen.values(), key=lambda one: one.weight, reverse=True)
            self._known[name] = Known(name, tuple(best_first))

    def all(self) -> list[Known]:
        """Return all of them: by project, then by id."""
        return sorted(self._known.values(), key=lambda known: (known.project, known.id))

    def find(self, name: str) -> Known:
        """Return one, with how far it reaches.

        Raises:
            UnknownNameError: There is none of that id.
        """
        if name not in self._known:
            raise UnknownNameError("finding", name, tuple(self._known))
        return replace(self._known[name], reach=self._grid.reach(name))
