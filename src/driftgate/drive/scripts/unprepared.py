"""The first all-reduce comes before any layer asked for a workspace: the consumer sizes it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from driftgate.drive.scripts._common import all_reduce, begin, can_use, sample

if TYPE_CHECKING:
    from driftgate.drive.stage import Stage


def run(stage: Stage) -> None:
    """Ask about a small all-reduce, and do it where it may be fused."""
    if not begin(stage):
        return
    small = sample(4, stage.environment.hidden_dim, stage.engine.dtype)
    if can_use(stage, small):
        all_reduce(stage, small)
    stage.step("cleanup", stage.driver.cleanup)
