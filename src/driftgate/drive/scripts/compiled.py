"""The decision and the operation under ``torch.compile(fullgraph=True)``."""

from __future__ import annotations

from typing import TYPE_CHECKING
from unittest.mock import patch

import torch
from torch._dynamo.testing import CompileCounter

from driftgate.drive.scripts._common import begin, create, grid, relative_error, sample

if TYPE_CHECKING:
    from driftgate.drive.stage import Stage

WATCHED = False


def run(stage: Stage) -> None:
    """Ask over the grid as if compiling; then compile a layer once, for changing token counts."""
    if not begin(stage) or not create(stage):
        return
    tokens, hidden = stage.environment.max_token_num, stage.environment.hidden_dim
    group, driver, dtype = stage.engine.group, stage.driver, stage.engine.dtype

    def ask(tensor: torch.Tensor) -> dict[str, bool]:
        eager = driver.can_use(tensor, group)
        with patch.object(torch.compiler, "is_compiling", return_value=True):
            return {"eager": eager, "compiling": driver.can_use(tensor, group)}

    for asked in grid(tokens, hidden, stage.environment.tp_size):
        stage.step(
            "decide",
            lambda asked=asked: ask(torch.empty(asked, dtype=dtype)),
            tokens=asked[0],
            hidden=asked[1],
        )

    counter = CompileCounter()

    def layer(tensor: torch.Tensor) -> torch.Tensor:
        if driver.can_use(tensor, group):
            return driver.all_reduce(tensor)
        return tensor.clone()

    compiled = torch.compile(layer, backend=counter, fullgraph=True, dynamic=True)
    for count in (8, 16, 19, 8 * tokens):
        tensor = sample(count, hidden, dtype)
        eager = stage.step("eager", lambda tensor=tensor: layer(tensor), tokens=count)
        stage.step(
            "compiled",
            lambda tensor=tensor: compiled(tensor),
            measure=lambda got, eager=eager: {
                "error": None if eager is None else relative_error(got, eager.double())
            },
            tokens=count,
        )
    stage.step("compilations", lambda: counter.frame_count)
    stage.step("cleanup", driver.cleanup)
