"""The contract suite on a few upstreams: its verdicts, and the calls that were seen."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from driftgate.bump.uses import SeenCall
from driftgate.compat import Run, make_plan
from driftgate.consumers import OURS
from driftgate.traces import TraceStore, trace_key

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from driftgate.cells import Environment
    from driftgate.compat import Plan
    from driftgate.consumers import Consumer
    from driftgate.findings import ContractResult
    from driftgate.paths import Project
    from driftgate.upstreams import Upstream


@dataclass(frozen=True)
class Suite:
    """What a run showed.

    Attributes:
        results: Every verdict.
        calls: Calls into the upstream that were seen.
        upstreams: What it was run on, by name.
        environments: What was pretended, by id.
    """

    results: tuple[ContractResult, ...] = ()
    calls: tuple[SeenCall, ...] = ()
    upstreams: dict[str, Upstream] = field(default_factory=dict)
    environments: dict[str, Environment] = field(default_factory=dict)


def run_suite(
    project: Project,
    consumer: Consumer,
    upstreams: Sequence[str],
    workers: int,
    contracts: Sequence[str] = (),
) -> Suite:
    """Judge ``consumer`` on ``upstreams``; what was driven before is judged from its trace.

    Raises:
        DriftgateError: The consumer, an upstream or a data file cannot be used.
    """
    plan = make_plan(project, consumer, upstreams, contracts)
    results = tuple(_with_sites(each, consumer) for each in Run(plan, project, workers).results())
    calls = tuple(dict.fromkeys(_seen_calls(plan, project)))
    by_name = {upstream.name: upstream for upstream in plan.upstreams}
    return Suite(results, calls, by_name, plan.environments)


def _with_sites(result: ContractResult, consumer: Consumer) -> ContractResult:
    if not result.findings:
        return result
    findings = (replace(each, site=_shown(each.site, consumer)) for each in result.findings)
    return replace(result, findings=tuple(findings))


def _seen_calls(plan: Plan, project: Project) -> Iterator[SeenCall]:
    store = TraceStore(project.results / "traces")
    for upstream, environment in plan.pairs():
        trace = store.get(trace_key(plan.consumer, upstream, environment))
        for step in trace.steps if trace else ():
            for event in step.events:
                if event.kind == "call":
                    site = _shown(event.site, plan.consumer)
                    names = frozenset(event.by_keyword)
                    yield SeenCall(event.symbol, site, frozenset(event.args), names)


def _shown(site: str, consumer: Consumer) -> str:
    """Return a site as the consumer's text is shown: by its path in the project."""
    if not site:
        return site
    file, _, line = site.rpartition(":")
    if consumer.adapter is not None:
        paths = {str(Path(held)): path for path, held in consumer.adapter.files}
        return f"{paths.get(file, file)}:{line}"
    path = Path(file)
    base = consumer.root.parent if consumer.name == OURS else Path.cwd()
    return f"{path.relative_to(base) if path.is_relative_to(base) else path}:{line}"
