"""The workspace cannot be made, and every layer asks again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from driftgate.drive.scripts._common import begin, can_use, create, fused, sample

if TYPE_CHECKING:
    from driftgate.drive.stage import Stage

_LAYERS = 5


def run(stage: Stage) -> None:
    """Ask for a workspace, and to use it, once a layer."""
    if not begin(stage):
        return
    small = sample(4, stage.environment.hidden_dim, stage.engine.dtype)
    for layer in range(_LAYERS):
        create(stage, layer=layer)
        can_use(stage, small, layer=layer)
        fused(stage, small, layer=layer)
    stage.step("cleanup", stage.driver.cleanup)
