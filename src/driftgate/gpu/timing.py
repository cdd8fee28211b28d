"""Time of a fused call beside the calls that it stands for, both replayed from CUDA graphs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch
import torch.distributed as dist

import flashinfer_comm_fusion as fusion

if TYPE_CHECKING:
    from collections.abc import Callable

    from torch.distributed import ProcessGroup

# Decode steps of small and large batches, and a piece of a prefill.
_TOKENS = (1, 8, 32, 128, 256)
_CALLS = 50  # in one graph, so that its launch does not count
_REPLAYS = 5


def time_fused_and_not(
    group: ProcessGroup, device: torch.device, hidden: int
) -> dict[str, dict[str, Any]]:
    """Time all-reduce, residual and RMSNorm, fused and by NCCL and torch.

    Args:
        group: The NCCL group.
        device: This rank's device.
        hidden: Hidden size.

    Returns:
        Microseconds a call of both, and their ratio, by token count; the least of some replays.
    """
    weight = torch.ones(hidden, dtype=torch.bfloat16, device=device)
    times: dict[str, dict[str, Any]] = {}
    for tokens in _TOKENS:
        tensor = torch.ones(tokens, hidden, dtype=torch.bfloat16, device=device)
        residual = torch.ones_like(tensor)

        def fused(tensor: torch.Tensor = tensor, residual: torch.Tensor = residual) -> object:
            return fusion.flashinfer_allreduce_residual_rmsnorm(tensor, residual, weight)

        def apart(tensor: torch.Tensor = tensor, residual: torch.Tensor = residual) -> object:
            total = tensor.clone()  # the fused call leaves its input alone
            dist.all_reduce(total, group=group)
            total += residual
            return torch.nn.functional.rms_norm(total, (hidden,), weight, 1e-6)

        if fused() == (None, None):
            times[f"{tokens} tokens"] = {"fused": "refused"}
            continue
        ours, theirs = _microseconds(fused), _microseconds(apart)
        times[f"{tokens} tokens"] = {"fused": ours, "apart": theirs, "ratio": ours / theirs}
    return times


def _microseconds(call: Callable[[], object]) -> float:
    call()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for _ in range(_CALLS):
            call()
    event: Any = torch.cuda.Event  # which torch leaves untyped
    begun, ended = (event(enable_timing=True) for _ in range(2))
    least = float("inf")
    for _ in range(_REPLAYS):
        dist.barrier()
        begun.record()
        graph.replay()
        ended.record()
        ended.synchronize()
        least = min(least, begun.elapsed_time(ended) * 1000 / _CALLS)
    return least
