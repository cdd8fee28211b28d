"""A pin that moves from one release to another: what ``driftgate bump --static`` says."""

from __future__ import annotations

from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context
from typing import TYPE_CHECKING, Any

from driftgate.backtest.consumers import located
from driftgate.backtest.model import EVERY, Answer, Question
from driftgate.backtest.pools import ended_early
from driftgate.bump.model import Verdict
from driftgate.bump.staging import staged
from driftgate.bump.steps import Order, find_verdict
from driftgate.calls.binding import Verdict as Fate
from driftgate.cells import Tier
from driftgate.findings import Finding, State
from driftgate.index.settings import read_settings
from driftgate.surface.difference import Kind

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from driftgate.bump.model import Line, Report
    from driftgate.paths import Project

# `change` names one difference, "kind symbol": it must be told, and nobody must have to act on it.
KEYS: dict[str, Any] = {"consumer": str, "old": str, "new": str, "change": str}
REQUIRED = ("consumer", "old", "new")
_ACTED_ON = {Verdict.BLOCKED, Verdict.CHANGE}


def contracts(project: Project) -> Collection[str]:
    """Return the kinds of lines that a verdict on a bump can hold."""
    del project
    return {*(each.value for each in Kind), *(each.value for each in Fate)}


def ask(
    questions: Sequence[Question], project: Project, workers: int
) -> Iterator[tuple[Question, Answer]]:
    """Judge each hop once; nothing of the consumer or of a release is run."""
    hops: dict[tuple[str, str, str], list[Question]] = {}
    for question in questions:
        case = question.case
        hop = case.get("old"), case.get("new"), located(case.get("consumer"), project)
        hops.setdefault(hop, []).append(question)
    context = get_context("fork")
    everyone = ProcessPoolExecutor(workers, mp_context=context)
    with staged(project) as stage, ended_early(everyone) as pool:
        running = {pool.submit(_judge, stage.copy, *hop): asked for hop, asked in hops.items()}
        for done in as_completed(running):
            for question in running[done]:
                yield question, _answer(question, done.result())


def _judge(stage: Project, old: str, new: str, consumer: str) -> Report:
    return find_verdict(Order(new, old, consumer, static=True), stage, read_settings())


def _answer(question: Question, report: Report) -> Answer:
    if question.contract == EVERY:
        lines = [line for line in report.lines if line.verdict in _ACTED_ON]
    else:
        lines = [
            line
            for line in report.lines
            if line.kind == question.contract and not line.verdict.is_safe
        ]
    findings = [_finding(line) for line in lines]
    findings += _unlike(question.case.get("change"), report)
    return Answer(State.FAIL if findings else State.PASS, Tier.STATIC, tuple(findings))


def _finding(line: Line) -> Finding:
    change = line.changes[0]
    moved = " -> ".join(part for part in (change.old, change.new) if part)
    got = "; ".join(part for part in (f"{change.where} {moved}".strip(), change.note) if part)
    return Finding(
        line.kind, "nothing to be done", f"{line.verdict.value}: {got}", line.symbol, _site(line)
    )


def _site(line: Line) -> str:
    return line.sites[0] if line.sites else ""


def _unlike(change: str, report: Report) -> Iterator[Finding]:
    """Yield a finding where ``change`` is not told, or where something has to be done about it."""
    if not change:
        return
    kind, _, symbol = change.partition(" ")
    told = [line for line in report.lines if (line.kind, line.symbol) == (kind, symbol)]
    unused = [
        each for each in report.unused if each.kind.value == kind and each.symbol.endswith(symbol)
    ]
    if not (told or unused):
        yield Finding(kind, "told, and safe", "not told", symbol)
    yield from (_finding(line) for line in told if not line.verdict.is_safe)
