"""Everything that the last runs and the grid hold, each finding once."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from driftgate.errors import UnknownNameError
from driftgate.known.model import Known, best_first
from driftgate.known.reach import KeptGrid
from driftgate.known.runs import seen_in_runs
from driftgate.released.rows import load_consumer_rows

if TYPE_CHECKING:
    from driftgate.paths import Project


class KnownFindings:
    """What is known without running anything.

    Args:
        project: Where runs and the grid keep what they found.
    """

    def __init__(self, project: Project) -> None:
        self._grid = KeptGrid(project)
        pins = {
            f"{row.name}=={release}": pin
            for row in load_consumer_rows(project.matrix).values()
            for release, pin in row.pins.items()
        }
        seen = seen_in_runs(project.results / "results")
        for name, each in self._grid.seen().items():
            seen.setdefault(name, []).extend(each)
        self._known = {name: Known(name, best_first(each, pins)) for name, each in seen.items()}

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
