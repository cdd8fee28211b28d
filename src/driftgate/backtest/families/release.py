"""One release of the upstream by itself: what is recorded of it, what it reads, and how it runs."""

from __future__ import annotations

from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from driftgate.backtest.model import EVERY, Answer, Question
from driftgate.backtest.pools import ended_early
from driftgate.cells import Tier
from driftgate.contracts.upstream import upstream_rules
from driftgate.contracts.upstream.base import Evidence
from driftgate.errors import DriftgateError, UnknownNameError
from driftgate.exercises.asking import play_releases
from driftgate.exercises.record import Outcome, Wanted
from driftgate.findings import State
from driftgate.probes.cases.arguments import BACKENDS
from driftgate.surface.releases import load_releases
from driftgate.wheels.provide import why_missing

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from driftgate.contracts.upstream.base import ReleaseRule
    from driftgate.paths import Project

KEYS: dict[str, Any] = {"release": str, "backend": str}
REQUIRED = ("release",)


def contracts(project: Project) -> Collection[str]:
    """Return the contracts about one release."""
    del project
    return upstream_rules()


def ask(
    questions: Sequence[Question], project: Project, workers: int
) -> Iterator[tuple[Question, Answer]]:
    """Read each release once, run it once where a rule wants that, and fetch what is needed."""
    by_release: dict[str, list[Question]] = defaultdict(list)
    for question in questions:
        _require_backend(question)
        by_release[question.case.get("release")].append(question)
    known = load_releases(project.matrix / "releases.toml")
    seen = {release: Evidence(release, project) for release in by_release}
    for release, evidence in seen.items():
        if evidence.is_recorded and release not in known:
            raise UnknownNameError("release", release, tuple(known))
    wanted = []
    for release, evidence in seen.items():
        exercises = _exercises(by_release[release])
        missing = why_missing(project, [release]) if exercises and evidence.is_recorded else ""
        if missing:
            seen[release] = replace(evidence, outcome=Outcome(refused=missing))
        elif exercises:
            version = release if evidence.is_recorded else ""
            wanted.append(Wanted(release, evidence.folder, version, exercises))
    for release, outcome in play_releases(wanted, project, workers):
        seen[release] = replace(seen[release], outcome=outcome)
    with ended_early(ThreadPoolExecutor(workers)) as pool:
        running = [
            pool.submit(_answers, by_release[release], evidence)
            for release, evidence in seen.items()
        ]
        for done in as_completed(running):
            yield from done.result()


def _exercises(questions: Sequence[Question]) -> Collection[str]:
    """Return what the rules that are asked for want to put a release through."""
    rules = upstream_rules()
    asked = {name for question in questions for name in _asked(question)}
    return sorted({each for name in asked for each in rules[name].contract.exercises})


def _answers(questions: Sequence[Question], seen: Evidence) -> list[tuple[Question, Answer]]:
    rules = upstream_rules()
    return [
        (
            question,
            _joined([_answer(rules[name], _narrowed(seen, question)) for name in _asked(question)]),
        )
        for question in questions
    ]


def _require_backend(question: Question) -> None:
    """Accept only a backend that there is, for a contract that tells them apart.

    Raises:
        UnknownNameError: There is none, or it does not.
    """
    backend = question.case.get("backend")
    if backend and backend not in BACKENDS:
        raise UnknownNameError("backend", backend, BACKENDS)
    if backend and question.contract not in _by_backend():
        raise UnknownNameError("contract by backend", question.contract, _by_backend())


def _by_backend() -> tuple[str, ...]:
    return tuple(name for name, rule in upstream_rules().items() if rule.contract.by_backend)


def _narrowed(seen: Evidence, question: Question) -> Evidence:
    backend = question.case.get("backend")
    return replace(seen, backend=backend) if backend else seen


def _asked(question: Question) -> Collection[str]:
    return upstream_rules() if question.contract == EVERY else (question.contract,)


def _answer(rule: ReleaseRule, seen: Evidence) -> Answer:
    tier = rule.contract.tier
    if why := rule.silent(seen):
        return Answer(State.NOT_RUN, tier, reason=why)
    if rule.contract.needs_wheel:
        try:
            _ = seen.folder
        except DriftgateError as error:
            return Answer(State.NOT_RUN, tier, reason=str(error))
    if why := rule.died(seen):
        return Answer(State.ERROR, tier, reason=why)
    findings = rule.judge(seen)
    return Answer(State.FAIL if findings else State.PASS, tier, findings)


def _joined(answers: Sequence[Answer]) -> Answer:
    """Return what all rules together come to: red where one is, green where one is kept."""
    states = [answer.state for answer in answers]
    order = (State.ERROR, State.FAIL, State.PASS, State.NOT_RUN)
    state = next(each for each in order if each in states)
    return Answer(
        state,
        next((answer.tier for answer in answers if answer.state is state), Tier.STATIC),
        tuple(finding for answer in answers for finding in answer.findings),
        "; ".join(answer.reason for answer in answers if answer.reason)
        if state in {State.ERROR, State.NOT_RUN}
        else "",
    )
