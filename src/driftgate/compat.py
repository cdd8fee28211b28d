"""Judge a consumer in every cell of the stub or the wheel tier: select, drive, judge, compare."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from driftgate.cells import Cell
from driftgate.contracts import all_rules
from driftgate.contracts.base import Evidence
from driftgate.drive.job import Job
from driftgate.environments import read_environments
from driftgate.errors import DriftgateError
from driftgate.expectations import read_expectations
from driftgate.findings import ContractResult, State
from driftgate.selection import matching
from driftgate.traces import TraceStore, trace_key
from driftgate.upstreams import choose_upstreams, find_upstream, upstream_names
from driftgate.zygotes import Driven, drive_all

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from driftgate.cells import Environment
    from driftgate.consumers import Consumer
    from driftgate.contracts.base import Rule
    from driftgate.expectations import Expectation
    from driftgate.findings import Finding
    from driftgate.paths import Project
    from driftgate.trace import Trace
    from driftgate.upstreams import Upstream

# A cell takes about 50 ms, a compiling one 0.5 s: only a hang takes this long.
CELL_LIMIT = 30.0


class EmptySelectionError(DriftgateError):
    """Nothing is left to run."""


@dataclass(frozen=True)
class Plan:
    """What one run is about.

    Attributes:
        consumer: The consumer.
        upstreams: What it is run against.
        environments: What is pretended, by id: those that some selected contract needs.
        rules: The selected contracts.
    """

    consumer: Consumer
    upstreams: tuple[Upstream, ...]
    environments: dict[str, Environment]
    rules: tuple[Rule, ...]

    def pairs(self) -> Iterator[tuple[Upstream, Environment]]:
        """Every cell to be driven."""
        for upstream in self.upstreams:
            for environment in self.environments.values():
                why = upstream.missing or self.consumer.left_out(environment)
                if upstream.takes_part(environment) and not why:
                    yield upstream, environment

    def left_out(self) -> Iterator[tuple[Upstream, Environment, str]]:
        """Every cell that is not driven, because a release or an operation is missing, and why."""
        for upstream in self.upstreams:
            for environment in self.environments.values():
                why = upstream.missing or self.consumer.left_out(environment)
                if why and upstream.takes_part(environment):
                    yield upstream, environment, why

    def cell(self, upstream: Upstream, environment: Environment) -> Cell:
        """Name a cell."""
        return Cell(self.consumer.name, upstream.name, upstream.tier, environment.id)

    def rules_in(self, upstream: Upstream, environment: Environment) -> Iterator[Rule]:
        """The selected contracts that are judged in this cell."""
        return (
            rule
            for rule in self.rules
            if upstream.tier in rule.contract.tiers and rule.contract.applies_to(environment)
        )


def make_plan(
    project: Project,
    consumer: Consumer,
    upstreams: Sequence[str] = (),
    contracts: Sequence[str] = (),
) -> Plan:
    """Select cells; empty sequences mean all of the stub tier. Names may be patterns.

    Raises:
        UnknownNameError: A name matches nothing.
        EmptySelectionError: The contracts are judged in no cell of these upstreams.
    """
    found = [find_upstream(name, project) for name in choose_upstreams(upstreams, project)]
    tiers = {upstream.tier for upstream in found}
    rules = [rule for rule in all_rules().values() if tiers.intersection(rule.contract.tiers)]
    by_id = {rule.id: rule for rule in rules}
    chosen = matching("contract", contracts, list(by_id))
    environments = {
        name: environment
        for name, environment in read_environments(project.matrix / "environments.toml").items()
        if any(by_id[rule].contract.applies_to(environment) for rule in chosen)
    }
    plan = Plan(
        consumer,
        tuple(found),
        environments,
        tuple(by_id[rule] for rule in chosen),
    )
    if not any(plan.pairs()) and not any(plan.left_out()):
        raise EmptySelectionError(
            "nothing to run: these contracts are judged in no cell of these upstreams; select more"
        )
    return plan


@dataclass
class Run:
    """One run of a plan.

    Attributes:
        plan: What it is about.
        project: Where its data lies and its results go.
        workers: Zygotes at a time.
        fresh: Whether kept traces are ignored.
        reused: How many cells were judged from a kept trace.
        problems: What is wrong with the expectation rows; complete when the run is over.
    """

    plan: Plan
    project: Project
    workers: int
    fresh: bool = False
    reused: int = 0
    problems: list[str] = field(default_factory=list)

    def results(self) -> Iterator[ContractResult]:
        """Drive what has no kept trace, judge all, and yield each verdict as it falls.

        Raises:
            DriftgateError: The consumer or a data file cannot be used.
        """
        path = self.project.matrix / "expectations.toml"
        expectations = read_expectations(path, all_rules())
        self.problems += _problems(expectations, self.project)
        today = dt.datetime.now(tz=dt.timezone.utc).date()
        valid = [
            each for each in expectations if each.is_for_this_python and not each.has_expired(today)
        ]
        for upstream, driven in self._driven():
            for result in judge(self.plan, upstream, driven):
                yield _as_expected(result, upstream, valid)
        for upstream, environment, why in self.plan.left_out():
            cell = self.plan.cell(upstream, environment)
            for rule in self.plan.rules_in(upstream, environment):
                yield ContractResult(cell, rule.id, State.NOT_RUN, reason=why)

    def _driven(self) -> Iterator[tuple[Upstream, Driven]]:
        pairs = [(self.plan.consumer, *pair) for pair in self.plan.pairs()]
        driven = drive_pairs(pairs, self.project, self.workers, fresh=self.fresh)
        for _, upstream, outcome, was_kept in driven:
            self.reused += was_kept
            yield upstream, outcome


def drive_pairs(
    pairs: Iterable[tuple[Consumer, Upstream, Environment]],
    project: Project,
    workers: int,
    *,
    fresh: bool = False,
) -> Iterator[tuple[Consumer, Upstream, Driven, bool]]:
    """Drive each cell, or take the trace that was kept of it; yield what became of it.

    Args:
        pairs: The cells.
        project: Where traces are kept.
        workers: Zygotes at a time.
        fresh: Whether kept traces are ignored.

    Yields:
        The consumer, the upstream, the outcome, and whether it was kept from before.
    """
    store = TraceStore(project.results / "traces")
    todo: dict[tuple[str, str], tuple[Consumer, Upstream, list[Environment]]] = {}
    for consumer, upstream, environment in pairs:
        trace = None if fresh else store.get(trace_key(consumer, upstream, environment))
        if trace is None:
            job = todo.setdefault((consumer.name, upstream.name), (consumer, upstream, []))
            job[2].append(environment)
        else:
            yield consumer, upstream, Driven(environment, trace, "", 0.0), True
    jobs = [(job[:2], make_job(*job)) for job in todo.values()]
    for (consumer, upstream), driven in drive_all(jobs, workers):
        if driven.trace is not None and not was_refused(driven.trace, upstream):
            store.put(trace_key(consumer, upstream, driven.environment), driven.trace)
        yield consumer, upstream, driven, False


def was_refused(trace: Trace, upstream: Upstream) -> bool:
    """Whether a release could not be imported: that is this machine's too, and not kept."""
    return upstream.release is not None and any(
        step.op == "upstream" and step.value["refused"] for step in trace.steps
    )


def make_job(consumer: Consumer, upstream: Upstream, environments: Iterable[Environment]) -> Job:
    """Return what a zygote is sent for these cells."""
    folders = tuple(str(folder) for folder in upstream.folders)
    return Job(
        consumer.source,
        folders,
        tuple(environments),
        CELL_LIMIT,
        consumer.adapter,
        upstream.release,
    )


def judge(plan: Plan, upstream: Upstream, driven: Driven) -> Iterator[ContractResult]:
    """Return the verdict of every selected contract on one cell."""
    cell = plan.cell(upstream, driven.environment)
    rules = plan.rules_in(upstream, driven.environment)
    if driven.trace is None:
        for rule in rules:
            yield ContractResult(
                cell, rule.id, State.ERROR, reason=driven.error, seconds=driven.seconds
            )
        return
    seen = Evidence(driven.trace, driven.environment, upstream)
    activity = seen.activity()
    for rule in rules:
        findings: tuple[Finding, ...] = ()
        reason = ""
        missing = seen.is_without(*rule.contract.needs)
        if missing:
            state, reason = State.NOT_RUN, f"the consumer has no {' and no '.join(missing)}"
        elif rule.contract.needs_active and not seen.is_active():
            state, reason = State.NOT_RUN, activity
        else:
            findings = rule.judge(seen)
            state = State.FAIL if findings else State.PASS
        yield ContractResult(
            cell,
            rule.id,
            state,
            findings,
            reason,
            activity,
            seen.backend(),
            seen.size_check(),
            seen.standins(),
            driven.seconds,
        )


def _as_expected(
    result: ContractResult, upstream: Upstream, expectations: Sequence[Expectation]
) -> ContractResult:
    """Turn a known failure into xfail, and one that is no more into xpass; errors stay errors."""
    known = next(
        (each for each in expectations if each.covers(result.contract, result.cell, upstream)), None
    )
    if known is None or result.state not in {State.FAIL, State.PASS}:
        return result
    if result.state is State.FAIL:
        return replace(result, state=State.XFAIL, reason=f"{known.reason} ({known.link})")
    return replace(
        result, state=State.XPASS, reason=f"expected to fail: {known.reason}; drop the row"
    )


def _problems(expectations: Sequence[Expectation], project: Project) -> Iterator[str]:
    """Say which rows have expired, and which match no upstream at all."""
    today = dt.datetime.now(tz=dt.timezone.utc).date()
    upstreams = [find_upstream(name, project) for name in upstream_names(project)]
    environments = read_environments(project.matrix / "environments.toml")
    rules = all_rules()
    for each in expectations:
        if each.has_expired(today):
            yield f"expectation has expired on {each.expires}: {each}; mend the finding or renew it"
        cells = (
            (upstream, environment)
            for upstream in upstreams
            for environment in environments.values()
            if rules[each.contract].contract.applies_to(environment)
        )
        if not any(
            each.covers(
                each.contract,
                Cell(each.consumer, upstream.name, upstream.tier, environment.id),
                upstream,
            )
            for upstream, environment in cells
        ):
            yield f"expectation matches nothing: {each}; mend or drop the row"
