"""Each contract against the consumer that breaks it and one that keeps it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from driftgate.compat import make_job
from driftgate.consumers import find_consumer
from driftgate.contracts import all_rules
from driftgate.contracts.base import Evidence
from driftgate.environments import read_environments
from driftgate.paths import find_project
from driftgate.toml import read_toml
from driftgate.upstreams import find_upstream
from driftgate.zygotes import Worker, zygote

if TYPE_CHECKING:
    from collections.abc import Iterator

    from driftgate.findings import Finding

FIXTURES = Path(__file__).parents[1] / "fixtures"
PROJECT = find_project(Path(__file__).parent)
ENVIRONMENTS = read_environments(PROJECT.matrix / "environments.toml")


@dataclass(frozen=True)
class Case:
    consumer: str
    upstream: str
    environment: str


def _case(contract: str, kind: str) -> Case:
    return Case(**read_toml(FIXTURES / f"{contract}.toml")[kind])


class Gallery:
    """Drives a case once, however many contracts look at it."""

    def __init__(self, worker: Worker) -> None:
        self._worker = worker
        self._seen: dict[Case, Evidence] = {}

    def see(self, case: Case) -> Evidence:
        if case not in self._seen:
            consumer = find_consumer(f"file:{FIXTURES / 'consumers' / case.consumer}.py")
            upstream = find_upstream(case.upstream, PROJECT)
            environment = ENVIRONMENTS[case.environment]
            (driven,) = self._worker.drive(make_job(consumer, upstream, [environment]))
            assert driven.trace is not None, driven.error
            self._seen[case] = Evidence(driven.trace, environment, upstream)
        return self._seen[case]

    def findings(self, contract: str, case: Case) -> tuple[Finding, ...]:
        rule = all_rules()[contract]
        assert rule.contract.applies_to(ENVIRONMENTS[case.environment])
        seen = self.see(case)
        assert seen.is_active() or not rule.contract.needs_active, "would not be judged at all"
        return rule.judge(seen)


@pytest.fixture(scope="module")
def gallery() -> Iterator[Gallery]:
    with zygote(1) as (worker,):
        yield Gallery(worker)


def test_every_contract_has_its_cases() -> None:
    """No contract without a consumer that breaks it, and no case without a contract."""
    assert {path.stem for path in FIXTURES.glob("*.toml")} == set(all_rules())


@pytest.mark.parametrize("contract", list(all_rules()))
def test_the_bad_consumer_is_caught(gallery: Gallery, contract: str) -> None:
    """A contract finds what it is for."""
    assert gallery.findings(contract, _case(contract, "bad"))


@pytest.mark.parametrize("contract", list(all_rules()))
def test_the_good_consumer_passes(gallery: Gallery, contract: str) -> None:
    """A contract finds nothing in a consumer that keeps it."""
    assert gallery.findings(contract, _case(contract, "good")) == ()
