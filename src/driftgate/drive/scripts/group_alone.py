"""A workspace manager made by hand, which is told one group and not what it is for."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from driftgate.drive.scripts._common import begin, create

if TYPE_CHECKING:
    from driftgate.drive.stage import Stage


def run(stage: Stage) -> None:
    """Make it beside the engine's own, and give both up."""
    if not begin(stage):
        return
    create(stage)
    tokens, hidden = stage.environment.max_token_num, stage.environment.hidden_dim
    make = partial(stage.driver.open_manager, tokens, hidden, stage.engine.dtype, group_alone=True)
    stage.step("open_manager", make, tokens=tokens, hidden=hidden)
    stage.step("cleanup", stage.driver.cleanup)
