"""A consumer on an upstream, on a pretended machine: what ``driftgate compat`` runs."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any

from driftgate.backtest.consumers import row_consumer
from driftgate.backtest.model import EVERY, Answer, Question
from driftgate.compat import Plan, drive_pairs, judge
from driftgate.contracts import all_rules
from driftgate.environments import read_environments
from driftgate.errors import UnknownNameError
from driftgate.findings import State
from driftgate.upstreams import find_upstream
from driftgate.wheels.provide import fetch_missing

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from driftgate.cells import Environment
    from driftgate.consumers import Consumer
    from driftgate.findings import ContractResult
    from driftgate.paths import Project
    from driftgate.upstreams import Upstream

KEYS: dict[str, Any] = {"consumer": str, "upstream": str, "environment": str}
REQUIRED = ("consumer", "upstream", "environment")
_WHEEL = "wheel:"


def contracts(project: Project) -> Collection[str]:
    """Return the contracts about one process."""
    del project
    return all_rules()


def ask(
    questions: Sequence[Question], project: Project, workers: int
) -> Iterator[tuple[Question, Answer]]:
    """Drive every cell once and judge it; a cell whose trace was kept is not driven again.

    Releases that the wheel store lacks are fetched.
    """
    known = read_environments(project.matrix / "environments.toml")
    consumers = {name: row_consumer(name, project) for name in _all(questions, "consumer")}
    names = _all(questions, "upstream")
    fetch_missing(project, [name.removeprefix(_WHEEL) for name in names if name.startswith(_WHEEL)])
    upstreams = {name: find_upstream(name, project) for name in names}
    waiting: dict[tuple[str, str, str], list[Question]] = defaultdict(list)
    for question in questions:
        waiting[_place(question)].append(question)
    pairs: list[tuple[Consumer, Upstream, Environment]] = []
    for place, asked in waiting.items():
        consumer, upstream = consumers[place[0]], upstreams[place[1]]
        if place[2] not in known:
            raise UnknownNameError("environment", place[2], tuple(known))
        environment = known[place[2]]
        if why := upstream.missing or consumer.left_out(environment):
            yield from ((each, Answer(State.NOT_RUN, upstream.tier, reason=why)) for each in asked)
        else:
            pairs.append((consumer, upstream, environment))
    rules = tuple(all_rules().values())
    for consumer, upstream, driven, _ in drive_pairs(pairs, project, workers):
        environment = driven.environment
        plan = Plan(consumer, (upstream,), {environment.id: environment}, rules)
        results = list(judge(plan, upstream, driven))
        for each in waiting[consumer.name, upstream.name, environment.id]:
            yield each, answer(each, results)


def _all(questions: Sequence[Question], key: str) -> list[str]:
    return list(dict.fromkeys(question.case.get(key) for question in questions))


def _place(question: Question) -> tuple[str, str, str]:
    case = question.case
    return case.get("consumer"), case.get("upstream"), case.get("environment")


def answer(question: Question, results: Sequence[ContractResult]) -> Answer:
    """Return the verdict asked for; of all contracts together, the worst.

    Some verdict must be a pass for the whole to be one: what was not run shows nothing.

    Raises:
        UnknownNameError: The contract is not judged in that case.
    """
    wanted = [each for each in results if question.contract in (EVERY, each.contract)]
    if not wanted:
        judged = tuple(each.contract for each in results)
        raise UnknownNameError(f"contract in {question.case}", question.contract, judged)
    states = [each.state for each in wanted]
    order = (State.ERROR, State.FAIL, State.PASS, State.NOT_RUN)
    state = next(each for each in order if each in states)
    worst = next(each for each in wanted if each.state is state)
    findings = tuple(finding for each in wanted for finding in each.findings)
    reason = worst.reason if state in {State.ERROR, State.NOT_RUN} else ""
    return Answer(state, worst.cell.tier, findings, reason, worst.activity)
