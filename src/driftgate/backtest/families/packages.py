"""Distributions that are installed together: what ``driftgate packages`` says."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

from driftgate.backtest.consumers import located
from driftgate.backtest.model import EVERY, Answer, Question
from driftgate.backtest.pools import ended_early
from driftgate.cells import Tier
from driftgate.errors import UnknownNameError
from driftgate.findings import Finding, State
from driftgate.index.settings import read_settings
from driftgate.packages.errors import BadEnvironmentError
from driftgate.packages.judge import gather, judge, open_catalogue
from driftgate.packages.rows import load_packages_target
from driftgate.packages.rules import all_rules
from driftgate.packages.spelling import spelled
from driftgate.wheels.store import cache_folder

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from driftgate.backtest.model import Case
    from driftgate.packages.catalogue import Catalogue
    from driftgate.packages.model import Environment, Rule, Verdict
    from driftgate.paths import Project

KEYS: dict[str, Any] = {
    "installed": tuple[str, ...],
    "python": str,
    "variables": dict[str, str],
    "consumer": str,
    "complete": bool,
}
REQUIRED = ()


def contracts(project: Project) -> Collection[str]:
    """Return the rules about what is installed together."""
    del project
    return all_rules()


def ask(
    questions: Sequence[Question], project: Project, workers: int
) -> Iterator[tuple[Question, Answer]]:
    """Judge each environment by the rules that are asked for."""
    target = load_packages_target(project.matrix / "packages.toml")
    catalogue = open_catalogue(project, target, cache_folder(), read_settings())
    # Most of the time goes in waiting: for the index, or for a release in its own process.
    with ended_early(ThreadPoolExecutor(workers)) as pool:
        answers = pool.map(lambda each: _answer(each, project, catalogue), questions)
        yield from zip(questions, answers, strict=True)


def _answer(question: Question, project: Project, catalogue: Catalogue) -> Answer:
    case = question.case
    if not (case.get("installed") or case.get("consumer")):
        raise BadEnvironmentError(
            f"case ({case})", "nothing is installed, and no consumer is named", "add one of them"
        )
    consumer = located(case.get("consumer"), project)
    seen = gather(_environment(case), consumer, project, catalogue)
    verdicts = list(judge(seen, _wanted(question.contract)))
    findings = tuple(
        finding
        for verdict in verdicts
        if question.contract != EVERY or not verdict.rule.data.risk
        for finding in _findings(verdict)
    )
    untold = [verdict.untold for verdict in verdicts if verdict.untold]
    if findings:
        return Answer(State.FAIL, Tier.STATIC, findings)
    if len(untold) == len(verdicts):
        return Answer(State.NOT_RUN, Tier.STATIC, reason=untold[0])
    return Answer(State.PASS, Tier.STATIC)


def _environment(case: Case) -> Environment:
    return spelled(
        case.get("installed", ()),
        case.get("python"),
        dict(case.get("variables", ())),
        complete=case.get("complete", False),
    )


def _wanted(contract: str) -> list[Rule]:
    if contract == EVERY:
        return list(all_rules().values())
    if contract not in all_rules():
        raise UnknownNameError("rule about packages", contract, tuple(all_rules()))
    return [all_rules()[contract]]


def _findings(verdict: Verdict) -> Iterator[Finding]:
    for breach in verdict.breaches:
        yield Finding(verdict.rule.id, breach.expected, breach.got, breach.subject, breach.site)
