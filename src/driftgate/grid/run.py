"""Drive every distinct consumer on every distinct upstream, or take what was kept."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from driftgate.compat import Plan, judge, make_job, was_refused
from driftgate.contracts import all_rules
from driftgate.environments import read_environments
from driftgate.grid.selection import home_of
from driftgate.grid.verdicts import PairVerdicts, VerdictStore, verdict_key
from driftgate.zygotes import drive_all

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from driftgate.cells import Environment
    from driftgate.consumers import Consumer
    from driftgate.findings import ContractResult
    from driftgate.grid.rules import GridRules
    from driftgate.grid.selection import Line
    from driftgate.paths import Project
    from driftgate.upstreams import Upstream


@dataclass(frozen=True)
class Meeting:
    """A consumer and an upstream that it is to be driven on.

    Attributes:
        consumer: The consumer.
        upstream: What stands for a FlashInfer release.
        is_pinned: Whether that is the release that the consumer pins.
    """

    consumer: Consumer
    upstream: Upstream
    is_pinned: bool

    @property
    def place(self) -> tuple[str, str]:
        """What the verdicts depend on: equal modules on one upstream are one place."""
        return self.consumer.content, self.upstream.name


def meetings_of(line: Line, upstreams: Mapping[str, Upstream]) -> Iterator[Meeting]:
    """Yield every consumer of a line on every upstream, by FlashInfer release."""
    for consumer in line.consumers:
        home = home_of(consumer, list(upstreams))
        for release, upstream in upstreams.items():
            yield Meeting(consumer, upstream, release == home)


@dataclass
class GridRun:
    """What one run drives, and what it has found.

    Attributes:
        project: Where data lies and verdicts are kept.
        rules: Which environments are pretended.
        workers: Processes that cells are forked from.
        fresh: Whether kept verdicts are ignored.
        reused: Pairs whose verdicts were kept.
        driven: Pairs that were driven.
        cells: Cells that were driven.
    """

    project: Project
    rules: GridRules
    workers: int
    fresh: bool = False
    reused: int = 0
    driven: int = 0
    cells: int = 0
    _environments: dict[str, Environment] = field(init=False)

    def __post_init__(self) -> None:
        self._environments = read_environments(self.project.matrix / "environments.toml")

    def verdicts(
        self, meetings: Iterable[Meeting], tell: Callable[[str], None]
    ) -> dict[tuple[str, str], PairVerdicts]:
        """Return the verdicts of all pairs, by the consumer's content and the upstream's name.

        Args:
            meetings: What meets; equal content is driven once.
            tell: Told of each pair that is done.

        Raises:
            DriftgateError: A consumer cannot be driven, or the harness failed.
        """
        store = self._store()
        found: dict[tuple[str, str], PairVerdicts] = {}
        todo: dict[tuple[str, str], tuple[str, Plan, Upstream]] = {}
        # Where one of several equal modules is pinned to an upstream, all of them are driven so.
        for meeting in sorted(meetings, key=lambda each: not each.is_pinned):
            consumer, upstream, place = meeting.consumer, meeting.upstream, meeting.place
            if place in found or place in todo:
                continue
            plan = self._plan(meeting)
            key = verdict_key(consumer, upstream, plan.environments.values())
            kept = None if self.fresh else store.get(key)
            if kept is not None:
                self.reused += 1
                found[place] = kept
            else:
                todo[place] = (key, plan, upstream)
        for place, verdicts, for_good in self._drive(todo, tell):
            found[place] = verdicts
            if for_good:
                store.put(todo[place][0], verdicts)
        return found

    def kept(self, meetings: Iterable[Meeting]) -> dict[tuple[str, str], PairVerdicts]:
        """Return the verdicts that are kept of these pairs, as :meth:`verdicts` would."""
        store = self._store()
        found: dict[tuple[str, str], PairVerdicts] = {}
        for meeting in sorted(meetings, key=lambda each: not each.is_pinned):
            kept = None if meeting.place in found else store.get(self.key(meeting))
            if kept is not None:
                found[meeting.place] = kept
        return found

    def key(self, meeting: Meeting) -> str:
        """Return the name under which the verdicts of a pair are kept."""
        environments = self._plan(meeting).environments.values()
        return verdict_key(meeting.consumer, meeting.upstream, environments)

    def _store(self) -> VerdictStore:
        return VerdictStore(self.project.results / "grid")

    def _drive(
        self,
        todo: dict[tuple[str, str], tuple[str, Plan, Upstream]],
        tell: Callable[[str], None],
    ) -> Iterator[tuple[tuple[str, str], PairVerdicts, bool]]:
        """Yield the verdicts of each pair as it is done, and whether they are for good."""
        jobs = [
            (place, make_job(plan.consumer, upstream, plan.environments.values()))
            for place, (_, plan, upstream) in todo.items()
        ]
        results: dict[tuple[str, str], list[ContractResult]] = defaultdict(list)
        waiting = {place: len(plan.environments) for place, (_, plan, _) in todo.items()}
        passing: set[tuple[str, str]] = set()
        for place, driven in drive_all(jobs, self.workers):
            _, plan, upstream = todo[place]
            if driven.trace is None or was_refused(driven.trace, upstream):
                passing.add(place)
            results[place] += judge(plan, upstream, driven)
            self.cells += 1
            waiting[place] -= 1
            if not waiting[place]:
                self.driven += 1
                tell(f"{plan.consumer.name} {upstream.name}")
                yield place, PairVerdicts.of(results.pop(place)), place not in passing

    def _plan(self, meeting: Meeting) -> Plan:
        consumer, upstream = meeting.consumer, meeting.upstream
        rules = tuple(all_rules().values())
        wanted = self.rules.environments | (self.rules.on_pinned if meeting.is_pinned else set())
        environments = {
            name: environment
            for name, environment in self._environments.items()
            if name in wanted
            and upstream.takes_part(environment)
            and not consumer.left_out(environment)
        }
        return Plan(consumer, (upstream,), environments, rules)
