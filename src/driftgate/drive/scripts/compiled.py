"""The decision and the operation under ``torch.compile(fullgraph=True)``, for both backends."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING
from unittest.mock import patch

import torch
from torch._dynamo.testing import CompileCounter

from driftgate.drive.scripts._common import configure, create, grid, sample

if TYPE_CHECKING:
    from driftgate.drive.stage import Stage
    from driftgate.trace import Json

WATCHED = False
_MACHINES = (90, 100)  # by their SM: the first runs trtllm, the second mnnvl


def run(stage: Stage) -> None:
    """Drive the same layer on each machine."""
    for sm in _MACHINES:
        ready = configure(stage, stage.engine.group, backend=stage.environment.backend, sm=sm)
        if ready and create(stage, sm=sm):
            _decide(stage, sm)
            _compile(stage, sm)
        stage.step("cleanup", stage.driver.cleanup, sm=sm)


def _decide(stage: Stage, sm: int) -> None:
    """Ask over the grid, and again as if compiling."""
    environment, driver, group = stage.environment, stage.driver, stage.engine.group

    def ask(tensor: torch.Tensor) -> dict[str, bool]:
        eager = driver.can_use(tensor, group)
        with patch.object(torch.compiler, "is_compiling", return_value=True):
            return {"eager": eager, "compiling": driver.can_use(tensor, group)}

    for asked in grid(environment.max_token_num, environment.hidden_dim, environment.tp_size):
        tensor = torch.empty(asked, dtype=stage.engine.dtype)
        stage.step(
            "decide",
            partial(ask, tensor),
            sm=sm,
            tokens=asked[0],
            hidden=asked[1],
        )


def _compile(stage: Stage, sm: int) -> None:
    """Compile a layer once, and call it with token counts on both sides of what was asked for."""
    tokens, hidden = stage.environment.max_token_num, stage.environment.hidden_dim
    driver, group = stage.driver, stage.engine.group
    counter = CompileCounter()

    def layer(tensor: torch.Tensor) -> torch.Tensor:
        if driver.can_use(tensor, group):
            return driver.all_reduce(tensor)
        return tensor.clone()

    torch._dynamo.reset()  # noqa: SLF001 - as torch documents it
    compiled = torch.compile(layer, backend=counter, fullgraph=True, dynamic=True)
    for count in (8, 16, 19, tokens + 1):
        tensor = sample(count, hidden, stage.engine.dtype)
        eager = stage.step("eager", partial(layer, tensor), sm=sm, tokens=count)
        stage.step(
            "compiled",
            partial(compiled, tensor),
            measure=partial(_compare, tensor, eager),
            sm=sm,
            tokens=count,
        )
    stage.step("compilations", lambda: counter.frame_count, sm=sm)


def _compare(tensor: torch.Tensor, eager: torch.Tensor | None, got: torch.Tensor) -> Json:
    """Say whether either layer fused: else it gave its input back."""
    return {
        "eager": None if eager is None else not torch.equal(tensor, eager),
        "compiling": not torch.equal(tensor, got),
    }
