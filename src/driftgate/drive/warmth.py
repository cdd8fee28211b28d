"""Work whose first time is slow, done in the zygote so that every child has it behind it."""

from __future__ import annotations

import inspect

import torch
from torch._dynamo.testing import CompileCounter

_CAPACITY = 1 << 10


@torch.library.custom_op("driftgate_warmth::twice", mutates_args=())
def _twice(tensor: torch.Tensor) -> torch.Tensor:
    return tensor * 2


@_twice.register_fake
def _(tensor: torch.Tensor) -> torch.Tensor:
    return torch.empty_like(tensor)


def warm_up() -> None:
    """Compile, with symbolic sizes and an operator; look a source up.

    It takes the first compilation in a child from 0.25 s to 0.1 s, and the registration of an
    operator from 45 ms to 10 ms: the first look-up of a source visits every loaded module.
    """
    compiled = torch.compile(_layer, backend=CompileCounter(), fullgraph=True, dynamic=True)
    for tokens in (8, 16, _CAPACITY):
        compiled(torch.ones(tokens, 8))
    torch._dynamo.reset()  # noqa: SLF001 - as torch documents it
    inspect.getmodule(compile("", "<unknown>", "exec"))


def _layer(tensor: torch.Tensor) -> torch.Tensor:
    tokens, hidden = tensor.shape
    if tokens * hidden <= _CAPACITY and hidden % 8 == 0 and tensor.is_contiguous():
        return torch.ops.driftgate_warmth.twice(tensor)  # type: ignore[no-any-return]
    return tensor.clone()
