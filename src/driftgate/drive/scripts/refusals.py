"""A thousand problems that cannot fit, as an engine's start-up asks them, beside some that do."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

from driftgate.drive.scripts._common import (
    all_reduce,
    begin,
    can_use,
    create,
    finish,
    fused,
    sample,
)

if TYPE_CHECKING:
    from driftgate.drive.stage import Stage

_TIMES = 1000


def run(stage: Stage) -> None:
    """Create a workspace, use it, and ask for what it cannot hold."""
    if not begin(stage) or not create(stage):
        return
    tokens, hidden = stage.environment.max_token_num, stage.environment.hidden_dim
    driver, group, dtype = stage.driver, stage.engine.group, stage.engine.dtype
    small = sample(4, hidden, dtype)
    if can_use(stage, small):
        all_reduce(stage, small)
    fused(stage, small)
    can_use(stage, sample(4, hidden, torch.bfloat16), other_dtype=True)
    problems = [torch.empty(tokens + extra, hidden, dtype=dtype) for extra in range(1, 26)]
    stage.step(
        "refusals",
        lambda: sum(driver.can_use(problems[i % len(problems)], group) for i in range(_TIMES)),
        times=_TIMES,
    )
    finish(stage)
