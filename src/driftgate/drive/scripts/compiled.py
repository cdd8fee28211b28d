"""The decision with the operation, under ``torch.compile(fullgraph=True)``, for both backends."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import torch
from torch._dynamo.testing import CompileCounter

from driftgate.drive.scripts._common import configure, create, sample

if TYPE_CHECKING:
    from driftgate.drive.stage import Stage
    from driftgate.trace import Json

_MACHINES = (90, 100)  # by their SM: the first runs trtllm, the second mnnvl


def run(stage: Stage) -> None:
    """Drive the same layer on each machine."""
    stage.observer.unwrap_methods()
    for sm in _MACHINES:
        ready = configure(stage, stage.engine.group, backend=stage.environment.backend, sm=sm)
        if ready and create(stage, sm=sm):
            _compile(stage, sm)
        stage.step("cleanup", stage.driver.cleanup, sm=sm)


def _compile(stage: Stage, sm: int) -> None:
    """Compile a layer once; call it with changing token counts, and with what cannot fit.

    Both in one graph: a second compilation would take as long as the first.
    """
    tokens, hidden = stage.environment.max_token_num, stage.environment.hidden_dim
    driver, group, dtype = stage.driver, stage.engine.group, stage.engine.dtype
    counter = CompileCounter()

    def reduce(tensor: torch.Tensor) -> torch.Tensor:
        if driver.can_use(tensor, group):
            return driver.all_reduce(tensor)
        return tensor[:1].clone()

    def layer(small: torch.Tensor, large: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        return reduce(small), reduce(large)

    torch._dynamo.reset()  # noqa: SLF001 - as torch documents it
    compiled = torch.compile(layer, backend=counter, fullgraph=True, dynamic=True)
    large = torch.zeros(64 * tokens, hidden, dtype=dtype)
    for count in (8, 16, 19):
        inputs = (sample(count, hidden, dtype), large)
        eager = stage.step("eager", partial(layer, *inputs), sm=sm, tokens=count)
        stage.step(
            "compiled",
            partial(compiled, *inputs),
            measure=partial(_compare, inputs, eager),
            sm=sm,
            tokens=count,
        )
    stage.step("compilations", lambda: counter.frame_count, sm=sm)


_Pair = tuple[torch.Tensor, torch.Tensor]


def _compare(inputs: _Pair, eager: _Pair | None, compiled: _Pair) -> Json:
    """Say which inputs either layer fused, for what it refused comes back as one row."""
    if eager is None:
        return None
    return {
        "eager": _fused(inputs, eager),
        "compiling": _fused(inputs, compiled),
        "equal": all(map(torch.equal, eager, compiled)),
    }


def _fused(inputs: _Pair, outputs: _Pair) -> list[bool]:
    return [given.shape == got.shape for given, got in zip(inputs, outputs, strict=True)]
