"""Judge a consumer in every multirank cell: select, drive, judge."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from driftgate.cells import Cell, Tier
from driftgate.compat import EmptySelectionError
from driftgate.contracts import rank_rules
from driftgate.drive.job import Job
from driftgate.findings import ContractResult, State
from driftgate.ranks.cases import read_cases, read_troubled
from driftgate.ranks.evidence import RankEvidence
from driftgate.ranks.job import RankJob
from driftgate.ranks.seen import RankTrace
from driftgate.selection import matching
from driftgate.upstreams import find_upstream, upstream_names
from driftgate.zygotes import share_out

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from driftgate.cells import Environment
    from driftgate.consumers import Consumer
    from driftgate.contracts.base import Rule
    from driftgate.findings import Finding
    from driftgate.paths import Project
    from driftgate.ranks.cases import Case
    from driftgate.upstreams import Upstream
    from driftgate.zygotes import Worker

# A cell takes about a second, one with a rank that is slow on purpose ten: only a hang takes this.
CELL_LIMIT = 25.0
ZYGOTE = "driftgate.ranks.zygote"


@dataclass(frozen=True)
class Plan:
    """What one run is about.

    Attributes:
        consumer: The consumer.
        upstreams: What it is run against.
        cases: Where, by id.
        rules: The contracts.
        troubled: Names of the upstreams that are also tried with what few are enough for.
    """

    consumer: Consumer
    upstreams: tuple[Upstream, ...]
    cases: dict[str, Case]
    rules: tuple[Rule, ...]
    troubled: frozenset[str]

    def pairs(self) -> Iterator[tuple[Upstream, Case]]:
        """Every cell to be driven."""
        for upstream in self.upstreams:
            for case in self.cases_of(upstream):
                yield upstream, case

    def cases_of(self, upstream: Upstream) -> tuple[Case, ...]:
        """The cells of one upstream: where fusion can never be active, one shows it all."""
        troubled = upstream.name in self.troubled
        cases = tuple(case for case in self.cases.values() if troubled or not case.is_for_few)
        return cases[:1] if "*" in upstream.degraded else cases

    def left_out(self, case: Case) -> str:
        """Why the consumer is not judged in a case; empty where it is."""
        return self.consumer.left_out(self.environments()[case.id])

    def rules_of(self, case: Case) -> list[Rule]:
        """The contracts that are judged in a case."""
        return [
            rule
            for rule in self.rules
            if any(fnmatchcase(case.id, name) for name in rule.contract.environments)
        ]

    def cell(self, upstream: Upstream, case: Case) -> Cell:
        """Name a cell."""
        return Cell(self.consumer.name, upstream.name, Tier.MULTIRANK, case.id)

    def environments(self) -> dict[str, Environment]:
        """The cases as one rank of them sees them, by id, for reports."""
        return {
            name: replace(
                case.topology.environment(case.topology.groups[0][0], case.script),
                id=name,
                faults=(case.trouble.id,) if case.trouble else (),
            )
            for name, case in self.cases.items()
        }


def make_plan(
    project: Project,
    consumer: Consumer,
    upstreams: Sequence[str] = (),
    topologies: Sequence[str] = (),
    contracts: Sequence[str] = (),
) -> Plan:
    """Select cells; names may be patterns.

    No upstream named means every historic one; troubles and compiled layers are then tried only
    with those that ``topologies.toml`` names, for what they show is the consumer's doing.

    Raises:
        UnknownNameError: A name matches nothing.
        EmptySelectionError: Nothing is left to run.
    """
    known = upstream_names(project)
    rules = rank_rules()
    chosen = [find_upstream(name, project) for name in matching("upstream", upstreams, known)]
    if not upstreams:
        chosen = [upstream for upstream in chosen if upstream.stands_for]
    path = project.matrix / "topologies.toml"
    cases = read_cases(path)
    names = frozenset(
        upstream.name for upstream in chosen if upstreams or upstream.name in read_troubled(path)
    )
    selected = {name: cases[name] for name in matching("topology", topologies, list(cases))}
    judged = tuple(rules[name] for name in matching("contract", contracts, list(rules)))
    if not chosen or not selected or not judged:
        raise EmptySelectionError("nothing to run; select more")
    return Plan(consumer, tuple(chosen), selected, judged, names)


@dataclass(frozen=True)
class DrivenRanks:
    """What became of one multirank cell.

    Attributes:
        case: What it was about.
        ranks: A trace for every process; empty where the cell could not be driven.
        error: Why it could not; else empty.
        seconds: What it cost.
    """

    case: Case
    ranks: tuple[RankTrace, ...]
    error: str
    seconds: float


def drive_ranks(worker: Worker, job: RankJob) -> Iterator[DrivenRanks]:
    """Drive one job on a worker of a multirank zygote; yield each case's outcome.

    Raises:
        UnusableConsumerError: The consumer lacks an operation.
    """
    for case, reply in worker.ask(job, "case", job.cases):
        ranks = tuple(RankTrace.from_dict(rank) for rank in reply.get("ranks", ()))
        yield DrivenRanks(case, ranks, reply.get("error", ""), reply["seconds"])


def make_job(
    consumer: Consumer, upstream: Upstream, cases: Sequence[Case], folder: str, limit: float
) -> RankJob:
    """Return what a zygote is sent for these cells."""
    folders = tuple(str(each) for each in upstream.folders)
    job = Job(consumer.source, folders, (), limit, consumer.adapter)
    return RankJob(job, tuple(cases), folder)


def run_plan(plan: Plan, workers: int, limit: float = CELL_LIMIT) -> Iterator[ContractResult]:
    """Drive every cell of a plan and yield each verdict as it falls.

    Raises:
        DriftgateError: The consumer cannot be used, or the harness failed.
    """
    todo: dict[str, list[Case]] = {}
    for upstream, case in plan.pairs():
        if why := plan.left_out(case):
            for rule in plan.rules_of(case):
                yield ContractResult(plan.cell(upstream, case), rule.id, State.NOT_RUN, reason=why)
        else:
            todo.setdefault(upstream.name, []).append(case)
    # Short, for the sockets' paths; this run's own, for another may share the machine.
    with tempfile.TemporaryDirectory(prefix="driftgate-") as folder:
        jobs = [
            (upstream, make_job(plan.consumer, upstream, todo[upstream.name], folder, limit))
            for upstream in plan.upstreams
            if upstream.name in todo
        ]
        for upstream, driven in share_out(jobs, workers, ZYGOTE, drive_ranks):
            yield from judge(plan, upstream, driven)


def judge(plan: Plan, upstream: Upstream, driven: DrivenRanks) -> Iterator[ContractResult]:
    """Return the verdict of every selected contract on one cell."""
    cell = plan.cell(upstream, driven.case)
    for rule in plan.rules_of(driven.case):
        if driven.error:
            yield ContractResult(cell, rule.id, State.ERROR, reason=driven.error)
            continue
        seen = RankEvidence(driven.case, upstream, driven.ranks)
        activity = seen.activity()
        findings: tuple[Finding, ...] = ()
        if rule.contract.needs_active and not seen.is_active():
            state, reason = State.NOT_RUN, activity
        else:
            findings, reason = rule.judge(seen), ""
            state = State.FAIL if findings else State.PASS
        yield ContractResult(
            cell,
            rule.id,
            state,
            findings,
            reason,
            activity=activity,
            backend=seen.backend(),
            size_check=seen.size_check(),
            seconds=driven.seconds,
        )
