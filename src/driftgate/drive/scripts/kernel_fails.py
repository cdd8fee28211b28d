"""The kernel raises on this rank while its peers are in it."""

from __future__ import annotations

from typing import TYPE_CHECKING

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


def run(stage: Stage) -> None:
    """Use a workspace whose kernel fails, and give it back."""
    if not begin(stage) or not create(stage):
        return
    small = sample(4, stage.environment.hidden_dim, stage.engine.dtype)
    if can_use(stage, small):
        all_reduce(stage, small)
        fused(stage, small)
    finish(stage)
