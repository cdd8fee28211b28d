"""Troubles reach modules that look at the upstream when they are imported."""

from __future__ import annotations

from pathlib import Path

from driftgate.findings import State
from driftgate.paths import find_project
from driftgate.ranks.run import make_plan, run_plan
from driftgate.released.driven import choose_consumer

PROJECT = find_project(Path(__file__).parent)
VLLM = Path(__file__).parents[1] / "fixtures" / "projects" / "vllm"


def test_a_module_meets_a_broken_upstream_at_its_own_import() -> None:
    """Its guard is there: no rank fuses, and none dies of what it had imported before."""
    consumer = choose_consumer(f"vllm@{VLLM}", PROJECT)
    plan = make_plan(
        PROJECT, consumer, ["stub:v0_7_4"], ["import_fails_on_all"], ["ranks_end_well"]
    )

    (result,) = run_plan(plan, workers=1)

    assert (result.state, result.findings) == (State.PASS, ())
    assert result.activity == "degraded(unsaid)"
