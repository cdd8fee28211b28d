"""The fused operation at the token counts around each edge of a workspace."""

from __future__ import annotations

from typing import TYPE_CHECKING

from driftgate.drive.scripts._common import begin, create, fused, sample

if TYPE_CHECKING:
    from driftgate.drive.stage import Stage


def run(stage: Stage) -> None:
    """Run it for a token, around the rank count, and up to more than was asked for."""
    if not begin(stage) or not create(stage):
        return
    tokens, ranks = stage.environment.max_token_num, stage.environment.tp_size
    for count in (1, ranks, ranks + 1, tokens // 2, tokens, 2 * tokens, 4 * tokens):
        fused(stage, sample(count, stage.environment.hidden_dim, stage.engine.dtype), size=True)
    stage.step("cleanup", stage.driver.cleanup)
