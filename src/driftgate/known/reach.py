"""How far findings reach, by the verdicts that the grid has kept."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from driftgate.cells import Cell, Tier
from driftgate.findings import finding_id
from driftgate.grid.rules import load_grid_rules
from driftgate.grid.run import GridRun, meetings_of
from driftgate.grid.selection import (
    RELEASES,
    Line,
    fetched_lines,
    home_of,
    select_releases,
    stand_ins_for,
)
from driftgate.grid.table import GridTable
from driftgate.known.model import Reach, Seen

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from driftgate.grid.verdicts import PairVerdicts
    from driftgate.paths import Project
    from driftgate.upstreams import Upstream


class KeptGrid:
    """The verdicts of the stub tier that the grid has kept, nothing driven and nothing fetched.

    Args:
        project: Where they lie.
    """

    def __init__(self, project: Project) -> None:
        self._rules = load_grid_rules(project.matrix)
        releases = select_releases((RELEASES,), self._rules, project)
        self._upstreams: dict[str, Upstream] = stand_ins_for(releases, Tier.STUB, project)
        run = GridRun(project, self._rules, workers=1)
        self._lines: list[tuple[Line, dict[tuple[str, str], PairVerdicts]]] = []
        for line in fetched_lines(self._rules, project):
            kept = run.kept(meetings_of(line, self._upstreams))
            # A release that was looked at in part would look good where it was not.
            whole = tuple(
                consumer
                for consumer in line.consumers
                if all(
                    (consumer.content, upstream.name) in kept
                    for upstream in self._upstreams.values()
                )
            )
            verdicts = {
                (consumer.name, release): kept[consumer.content, upstream.name]
                for consumer in whole
                for release, upstream in self._upstreams.items()
            }
            if whole:
                self._lines.append((Line(line.project, whole), verdicts))

    def seen(self) -> dict[str, list[Seen]]:
        """Return everything that is broken somewhere in the grid, by id."""
        seen: dict[str, list[Seen]] = {}
        for line, verdicts in self._lines:
            for name, each in self._seen(line, verdicts):
                seen.setdefault(name, []).append(each)
        return seen

    def _seen(
        self, line: Line, verdicts: Mapping[tuple[str, str], PairVerdicts]
    ) -> Iterator[tuple[str, Seen]]:
        for consumer in line.consumers:
            home = home_of(consumer, list(self._upstreams))
            for release, upstream in self._upstreams.items():
                for each in verdicts[consumer.name, release].broken:
                    if each.environment in self._rules.on_pinned and release != home:
                        continue
                    cell = Cell(consumer.name, upstream.name, upstream.tier, each.environment)
                    name = finding_id(consumer.name, each.finding)
                    yield name, Seen(cell, each.finding)

    def reach(self, finding: str) -> Reach | None:
        """Return how far a finding reaches; None where nothing of it is kept."""
        for line, verdicts in self._lines:
            own = {
                (consumer, release): replace(
                    found,
                    broken=tuple(
                        each
                        for each in found.broken
                        if finding_id(consumer, each.finding) == finding
                    ),
                )
                for (consumer, release), found in verdicts.items()
            }
            table = GridTable(line, list(self._upstreams), own, self._rules)
            for defect in table.defects():
                return Reach(len(line.consumers), len(self._upstreams), defect)
        return None
