"""The fused operation by itself, under ``torch.compile(fullgraph=True)``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
from torch._dynamo.testing import CompileCounter

from driftgate.drive.scripts._common import begin, create, fused, sample

if TYPE_CHECKING:
    from driftgate.drive.stage import Stage

_TOKENS = (8, 16, 19)  # none that Dynamo makes a constant of by itself, as it does of 0 and 1


def run(stage: Stage) -> None:
    """Run a layer's operation as it is, then compiled, with changing token counts."""
    stage.observer.unwrap_methods()
    if begin(stage) and create(stage):
        _compile(stage)
    stage.step("cleanup", stage.driver.cleanup)


def _compile(stage: Stage) -> None:
    hidden, dtype = stage.environment.hidden_dim, stage.engine.dtype
    fused(stage, sample(_TOKENS[0], hidden, dtype))
    counter = CompileCounter()
    torch._dynamo.reset()  # noqa: SLF001 - as torch documents it
    compiled = torch.compile(stage.driver.fused, backend=counter, fullgraph=True, dynamic=True)
    for count in _TOKENS:
        fused(stage, sample(count, hidden, dtype), compiled=compiled)
    stage.step("compilations", lambda: counter.frame_count)
