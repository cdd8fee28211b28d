"""A CUDA graph is being captured, before there is a workspace and while there is one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from driftgate.drive.scripts._common import all_reduce, begin, can_use, create, sample

if TYPE_CHECKING:
    from driftgate.drive.stage import Stage


def run(stage: Stage) -> None:
    """Use a workspace during capture and ask for a larger one; then begin anew, capturing."""
    if not begin(stage):
        return
    tokens = stage.environment.max_token_num
    small = sample(4, stage.environment.hidden_dim, stage.engine.dtype)

    create(stage)
    stage.engine.capturing = True
    if can_use(stage, small, capturing=True):
        all_reduce(stage, small, capturing=True)
        create(stage, tokens=8 * tokens, capturing=True)
        can_use(stage, small, capturing=True, after_growth=True)
    stage.engine.capturing = False
    stage.step("cleanup", stage.driver.cleanup)

    if begin(stage):
        stage.engine.capturing = True
        create(stage, capturing=True)
        can_use(stage, small, capturing=True, no_workspace=True)
        stage.engine.capturing = False
        stage.step("cleanup", stage.driver.cleanup)
