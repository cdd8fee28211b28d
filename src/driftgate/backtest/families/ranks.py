"""A consumer over several real ranks: what ``driftgate ranks`` runs."""

from __future__ import annotations

import tempfile
from collections import defaultdict
from typing import TYPE_CHECKING, Any

from driftgate.backtest.consumers import row_consumer
from driftgate.backtest.families.cell import answer
from driftgate.backtest.model import Answer, Question
from driftgate.cells import Tier
from driftgate.contracts import rank_rules
from driftgate.errors import UnknownNameError
from driftgate.findings import State
from driftgate.ranks.cases import read_cases
from driftgate.ranks.run import CELL_LIMIT, ZYGOTE, Plan, drive_ranks, judge, make_job
from driftgate.upstreams import find_upstream
from driftgate.zygotes import share_out

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from driftgate.paths import Project
    from driftgate.ranks.cases import Case

KEYS: dict[str, Any] = {"consumer": str, "upstream": str, "topology": str}
REQUIRED = ("consumer", "upstream", "topology")


def contracts(project: Project) -> Collection[str]:
    """Return the contracts about several ranks."""
    del project
    return rank_rules()


def ask(
    questions: Sequence[Question], project: Project, workers: int
) -> Iterator[tuple[Question, Answer]]:
    """Drive every cell once and judge it."""
    waiting: dict[tuple[str, str], list[Question]] = defaultdict(list)
    for question in questions:
        pair = question.case.get("consumer"), question.case.get("upstream")
        waiting[pair].append(question)
    cases = read_cases(project.matrix / "topologies.toml")
    plans = [_plan(pair, asked, cases, project) for pair, asked in waiting.items()]
    jobs = []
    # Short, for the sockets' paths.
    with tempfile.TemporaryDirectory(prefix="driftgate-") as folder:
        for plan in plans:
            left_out = {name: plan.left_out(case) for name, case in plan.cases.items()}
            for each in waiting[_pair(plan)]:
                if why := left_out[each.case.get("topology")]:
                    yield each, Answer(State.NOT_RUN, Tier.MULTIRANK, reason=why)
            driven = [plan.cases[name] for name, why in left_out.items() if not why]
            if driven:
                job = make_job(plan.consumer, plan.upstreams[0], driven, folder, CELL_LIMIT)
                jobs.append((plan, job))
        for plan, outcome in share_out(jobs, workers, ZYGOTE, drive_ranks):
            results = list(judge(plan, plan.upstreams[0], outcome))
            for each in waiting[_pair(plan)]:
                if each.case.get("topology") == outcome.case.id:
                    yield each, answer(each, results)


def _pair(plan: Plan) -> tuple[str, str]:
    return plan.consumer.name, plan.upstreams[0].name


def _plan(
    pair: tuple[str, str], asked: Sequence[Question], cases: Mapping[str, Case], project: Project
) -> Plan:
    consumer, upstream = pair
    names = dict.fromkeys(question.case.get("topology") for question in asked)
    for name in names:
        if name not in cases:
            raise UnknownNameError("topology", name, tuple(cases))
    return Plan(
        row_consumer(consumer, project),
        (find_upstream(upstream, project),),
        {name: cases[name] for name in names},
        tuple(rank_rules().values()),
        frozenset({upstream}),
    )
