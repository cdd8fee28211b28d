"""The workspace cannot be made, and then a graph is captured."""

from __future__ import annotations

from typing import TYPE_CHECKING

from driftgate.drive.scripts._common import begin, can_use, create, fused, sample

if TYPE_CHECKING:
    from driftgate.drive.stage import Stage

_LAYERS = 3


def run(stage: Stage) -> None:
    """Fail at start-up, and capture the first layers that are small enough to ask."""
    if not begin(stage):
        return
    small = sample(4, stage.environment.hidden_dim, stage.engine.dtype)
    create(stage)
    stage.engine.capturing = True
    for layer in range(_LAYERS):
        can_use(stage, small, capturing=True, layer=layer)
        fused(stage, small, capturing=True, layer=layer)
    stage.engine.capturing = False
    stage.step("cleanup", stage.driver.cleanup)
