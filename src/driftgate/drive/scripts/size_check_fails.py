"""The validator raises: from the start, and then only once a workspace is in use."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from driftgate.drive.scripts._common import begin, can_use, create, fused, sample

if TYPE_CHECKING:
    from driftgate.drive.stage import Stage


def run(stage: Stage) -> None:
    """Ask with a validator that never worked, and with one that has stopped working."""
    if begin(stage):
        create(stage)
        _ask(stage)
        stage.step("cleanup", stage.driver.cleanup)

    environment = stage.environment
    stage.environment = replace(environment, faults=())
    ready = begin(stage) and create(stage)
    stage.environment = environment
    if ready:
        stage.upstream.pretend(environment, sm=environment.sm, nodes=environment.nodes)
        _ask(stage)
        stage.step("cleanup", stage.driver.cleanup)


def _ask(stage: Stage) -> None:
    small = sample(4, stage.environment.hidden_dim, stage.engine.dtype)
    for _ in range(3):
        can_use(stage, small)
    fused(stage, small)
