"""What the C++ launchers check before a kernel starts, common to the backends."""

from __future__ import annotations

import torch

from driftgate_stub_core.events import emit
from driftgate_stub_core.numerics import PATTERNS
from driftgate_stub_core.peers import Peers
from driftgate_stub_core.settings import fail_if

_DTYPES = (torch.float16, torch.bfloat16, torch.float32)
_VECTOR_BYTES = 16  # one load is a float4


def launch(
    symbol: str,
    *,
    backend: str,
    peers: Peers,
    rank_counts: tuple[int, ...],
    world_size: int,
    tokens: int,
    hidden: int,
    dtype: torch.dtype,
    pattern: int,
    use_oneshot: bool,
    like_input: dict[str, torch.Tensor | None],
    **flags: object,
) -> None:
    """Check what the launcher checks, and say that work reached the kernel.

    Args:
        like_input: Tensors that the kernel takes to be of the input's type, and contiguous; each
            of ``tokens x hidden`` elements, but for ``gamma``, which has ``hidden``.

    Raises:
        RuntimeError: The launcher refuses the data type, the rank count or the row width, or
            a tensor would be misread.
        NotImplementedError: The kernel would run, but the core has no reference for ``pattern``.
    """
    if dtype not in _DTYPES:
        raise RuntimeError(f"{backend} all-reduce: unsupported dtype {dtype}")
    if world_size not in rank_counts:
        raise RuntimeError(f"{backend} all-reduce: unsupported world_size {world_size}")
    per_load = _VECTOR_BYTES // dtype.itemsize
    if hidden % per_load:
        raise RuntimeError(f"{backend} all-reduce: token_dim must be divisible by {per_load}")
    for name, tensor in like_input.items():
        count = hidden if name == "gamma" else tokens * hidden
        if tensor is not None and not (
            tensor.numel() == count and tensor.dtype == dtype and tensor.is_contiguous()
        ):
            raise RuntimeError(f"{backend} all-reduce: the kernel would misread {name}")
    emit(
        "kernel",
        symbol,
        backend=backend,
        pattern=int(pattern),
        tokens=tokens,
        hidden=hidden,
        dtype=str(dtype).removeprefix("torch."),
        use_oneshot=use_oneshot,
        ranks=list(peers.ranks),
        **flags,
    )
    fail_if("kernel_raises")
    if pattern not in PATTERNS:
        raise NotImplementedError(f"the stub core has no reference numerics for pattern {pattern}")
