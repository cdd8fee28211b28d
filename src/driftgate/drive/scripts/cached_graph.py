"""A compiled graph comes out of a cache: it runs, and nothing that compiling does has been done."""

from __future__ import annotations

from typing import TYPE_CHECKING

from driftgate.drive.scripts._common import begin, fused, sample

if TYPE_CHECKING:
    from driftgate.drive.stage import Stage


def run(stage: Stage) -> None:
    """Run the fused operation first of all."""
    if begin(stage):
        fused(stage, sample(4, stage.environment.hidden_dim, stage.engine.dtype))
        stage.step("cleanup", stage.driver.cleanup)
