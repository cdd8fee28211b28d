"""The engine's user allows no more to be fused than the engine asks a workspace for."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

from driftgate.drive.scripts._common import begin, can_use, create

if TYPE_CHECKING:
    from driftgate.drive.stage import Stage


def run(stage: Stage) -> None:
    """Ask about an all-reduce of sizes on either side of the limit."""
    if not begin(stage):
        return
    create(stage)
    tokens, hidden = stage.environment.max_token_num, stage.environment.hidden_dim
    for count in (tokens // 2, tokens, tokens + 1, 2 * tokens, 4 * tokens):
        can_use(stage, torch.empty(count, hidden, dtype=stage.engine.dtype), over=count > tokens)
    stage.step("cleanup", stage.driver.cleanup)
