"""A workspace's whole life: made, asked, used, grown, given back."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import torch

from driftgate.drive.scripts._common import (
    all_reduce,
    begin,
    can_use,
    create,
    decide,
    finish,
    fused,
    grid,
    sample,
)

if TYPE_CHECKING:
    from driftgate.drive.stage import Stage
    from driftgate.trace import Json

_HINTS = (None, True, False)


def run(stage: Stage) -> None:
    """Drive a consumer through everything that a healthy engine does."""
    if not begin(stage):
        return
    tokens, hidden = stage.environment.max_token_num, stage.environment.hidden_dim
    dtype = stage.engine.dtype
    create(stage)
    for asked in grid(tokens, hidden, stage.environment.tp_size):
        tensor = torch.empty(asked, dtype=dtype)
        can_use(stage, tensor, grid=True)
        decide(stage, tensor)
    small = sample(4, hidden, dtype)
    if can_use(stage, small):
        all_reduce(stage, small)
    fused(stage, small)
    _odd_inputs(stage)
    _manager(stage)
    create(stage, tokens=2 * tokens, hidden=hidden, growth=True)
    if stage.environment.backend == "auto":  # mnnvl-cutedsl has kernels for few hidden sizes
        create(stage, tokens=tokens, hidden=4 * hidden, growth=True)
    create(stage, tokens=tokens, hidden=hidden, growth=True)
    finish(stage)


def _manager(stage: Stage) -> None:
    """Ask a workspace manager directly, with each hint."""
    tokens, hidden = stage.environment.max_token_num, stage.environment.hidden_dim
    dtype = stage.engine.dtype
    ready = stage.step(
        "open_manager",
        lambda: stage.driver.open_manager(tokens, hidden, dtype),
        tokens=tokens,
        hidden=hidden,
    )
    if not ready:
        return
    for count in (1, tokens, tokens + 1, 64 * tokens):
        for hint in _HINTS:
            _check_size(stage, count, hidden, use_oneshot=hint)
    for count, width in grid(tokens, hidden, stage.environment.tp_size):
        _check_size(stage, count, width, grid=True)


def _check_size(
    stage: Stage, tokens: int, hidden: int, *, use_oneshot: bool | None = None, **args: Json
) -> None:
    """Ask the manager, and measure what the validator answers without a hint."""
    environment, dtype = stage.environment, stage.engine.dtype

    def measure(answer: bool) -> Json:  # noqa: FBT001 - it is what came back
        validator = stage.observer.ask_validator(environment.tp_size, tokens, hidden, dtype)
        return {"answer": answer, "validator": validator}

    stage.step(
        "check_size",
        partial(stage.driver.check_size, tokens, hidden, dtype, use_oneshot=use_oneshot),
        measure=measure,
        tokens=tokens,
        hidden=hidden,
        use_oneshot=use_oneshot,
        **args,
    )


def _odd_inputs(stage: Stage) -> None:
    """Inputs that engines do send: whatever is accepted must then work."""
    hidden, dtype = stage.environment.hidden_dim, stage.engine.dtype
    odd = {
        "not contiguous": sample(8, 2 * hidden, dtype)[:, :hidden],
        "no tokens": sample(0, hidden, dtype),
        "unaligned width": sample(4, hidden - 1, dtype),
        "other dtype": sample(4, hidden, torch.float32 if dtype.itemsize == 2 else torch.bfloat16),  # noqa: PLR2004 - bytes
        "float64": sample(4, hidden, torch.float64),
    }
    for name, tensor in odd.items():
        if can_use(stage, tensor, odd=name):
            all_reduce(stage, tensor, odd=name)
    other = stage.engine.new_group(stage.environment.group)
    stage.step(
        "can_use_other_group",
        lambda: stage.driver.can_use(sample(4, hidden, dtype), other),
    )
