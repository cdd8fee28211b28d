"""A consumer's calls bound against one release: what ``driftgate calls`` reads."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any

from driftgate.backtest.consumers import located
from driftgate.backtest.model import EVERY, Answer, Question
from driftgate.calls.binding import BREAKING, Verdict
from driftgate.calls.check import check_calls
from driftgate.cells import Tier
from driftgate.findings import Finding, State
from driftgate.index.settings import read_settings
from driftgate.released.sources import find_sources
from driftgate.surface.store import load_surface
from driftgate.wheels.store import cache_folder

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from driftgate.calls.binding import Binding
    from driftgate.paths import Project

KEYS: dict[str, Any] = {"consumer": str, "release": str}
REQUIRED = ("consumer", "release")
_BROKEN = {each.name.lower(): each for each in Verdict if each in {*BREAKING, Verdict.UNSENT}}


def contracts(project: Project) -> Collection[str]:
    """Return the ways in which a call can fare badly."""
    del project
    return _BROKEN


def ask(
    questions: Sequence[Question], project: Project, workers: int
) -> Iterator[tuple[Question, Answer]]:
    """Read each consumer once, and bind it against the releases asked for."""
    del workers
    by_consumer: dict[str, list[Question]] = defaultdict(list)
    for question in questions:
        by_consumer[question.case.get("consumer")].append(question)
    for consumer, asked in by_consumer.items():
        sources = find_sources(
            located(consumer, project), project.matrix, cache_folder(), read_settings()
        )
        releases = dict.fromkeys(question.case.get("release") for question in asked)
        surfaces = [load_surface(project.surfaces, release) for release in releases]
        bindings = check_calls(sources, surfaces, project).bindings
        for question in asked:
            here = [one for one in bindings if one.release == question.case.get("release")]
            yield question, _answer(question, here)


def _answer(question: Question, bindings: Sequence[Binding]) -> Answer:
    findings = tuple(
        Finding(name, f"a call that {binding.release} takes", _got(binding), *_where(binding))
        for name, verdict in _BROKEN.items()
        if question.contract in (EVERY, name)
        for binding in bindings
        if binding.verdict is verdict
    )
    return Answer(State.FAIL if findings else State.PASS, Tier.STATIC, findings)


def _got(binding: Binding) -> str:
    parts = (f"{binding.verdict.value} {binding.parameter}".strip(), binding.detail)
    return ": ".join(part for part in parts if part)


def _where(binding: Binding) -> tuple[str, str]:
    return binding.symbol, str(binding.site)
