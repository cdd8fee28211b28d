"""Which cells a run is about, and what it says of those that it leaves out."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from driftgate.consumers import OURS, find_consumer
from driftgate.findings import State
from driftgate.paths import find_project
from driftgate.ranks.run import make_plan, run_plan

PROJECT = find_project(Path(__file__).parent)
CONSUMER = find_consumer(OURS)


def test_layers_are_compiled_with_few_upstreams() -> None:
    """Those that troubles are tried with; what compiles there is the consumer's own code."""
    pairs = [(upstream.name, case.id) for upstream, case in make_plan(PROJECT, CONSUMER).pairs()]
    compiled = {upstream for upstream, case in pairs if case == "h100_tp2_compiled"}

    assert compiled == {upstream for upstream, case in pairs if case == "create_raises_on_one"}
    assert compiled < {upstream for upstream, case in pairs if case == "h100_tp2"}


def test_a_case_that_a_consumer_is_not_judged_in_is_not_run_and_says_why() -> None:
    consumer = replace(CONSUMER, not_run={"*_compiled": "compiled elsewhere"})
    plan = make_plan(PROJECT, consumer, ["stub:v0_7_4"], ["h100_tp2_compiled"])
    results = list(run_plan(plan, workers=1))

    assert "ranks_compile_alike" in {result.contract for result in results}
    assert {(result.state, result.reason) for result in results} == {
        (State.NOT_RUN, "compiled elsewhere")
    }
