"""A wider draft model shares the workspace of the model that it drafts for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from driftgate.drive.scripts._common import begin, create, fused, sample

if TYPE_CHECKING:
    from driftgate.drive.stage import Stage


def run(stage: Stage) -> None:
    """Ask for both models' workspace, and run the fused operation at either width."""
    environment, dtype = stage.environment, stage.engine.dtype
    if not begin(stage) or not create(stage):
        return
    create(stage, hidden=environment.draft_hidden_dim)
    for hidden in (environment.hidden_dim, environment.draft_hidden_dim):
        for count in (1, environment.max_token_num, 4 * environment.max_token_num):
            fused(stage, sample(count, hidden, dtype), size=True)
    stage.step("cleanup", stage.driver.cleanup)
