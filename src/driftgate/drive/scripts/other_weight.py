"""A norm's weight is float32 where the activations are not."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

from driftgate.drive.scripts._common import begin, create, fused, sample

if TYPE_CHECKING:
    from driftgate.drive.stage import Stage


def run(stage: Stage) -> None:
    """Run the fused operation with a weight of the input's type, then with the other."""
    if not begin(stage) or not create(stage):
        return
    small = sample(4, stage.environment.hidden_dim, stage.engine.dtype)
    fused(stage, small)
    if "other_weight" not in stage.driver.lacks:
        fused(stage, small, weight_dtype=torch.float32, other_weight=True)
    stage.step("cleanup", stage.driver.cleanup)
