"""Options and the one run that the items of this folder look at."""

from __future__ import annotations

import os
from collections import defaultdict
from pathlib import Path

import pytest

from driftgate.compat import Plan, Run, make_plan
from driftgate.consumers import OURS, find_consumer
from driftgate.findings import ContractResult
from driftgate.paths import Project, find_project

Results = dict[tuple[str, str], list[ContractResult]]


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("driftgate", "what `driftgate compat` calls the same")
    group.addoption("--upstream", action="append", default=[], help="only these, patterns taken")
    group.addoption("--contract", action="append", default=[], help="only these, patterns taken")
    group.addoption("--fresh", action="store_true", help="drive every cell anew")


def _project() -> Project:
    return find_project(Path(__file__).parent)


def _plan(config: pytest.Config) -> Plan:
    # Without this folder on pytest's command line its options were not registered.
    return make_plan(
        _project(),
        find_consumer(OURS),
        config.getoption("--upstream", []),
        config.getoption("--contract", []),
    )


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "upstream" not in metafunc.fixturenames:
        return
    plan = _plan(metafunc.config)
    judged = dict.fromkeys(
        (upstream.name, rule.id)
        for upstream, environment in plan.pairs()
        for rule in plan.rules_in(upstream, environment)
    )
    metafunc.parametrize(("upstream", "contract"), judged)


@pytest.fixture(scope="session")
def results(pytestconfig: pytest.Config) -> Results:
    """Every verdict, by upstream and contract."""
    run = Run(
        _plan(pytestconfig),
        _project(),
        workers=os.cpu_count() or 1,
        fresh=pytestconfig.getoption("--fresh", default=False),
    )
    by_item: Results = defaultdict(list)
    for result in run.results():
        by_item[result.cell.upstream, result.contract].append(result)
    assert run.problems == []
    return by_item
