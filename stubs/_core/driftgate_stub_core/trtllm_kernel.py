"""TRT-LLM's fused all-reduce on flat tensors, as the unified API and older consumers call it."""

from __future__ import annotations

import logging
from typing import Any

import torch

from driftgate_stub_core.decorators import warn_if_deprecated
from driftgate_stub_core.kernel import launch
from driftgate_stub_core.numerics import ALL_REDUCE, all_reduce, all_reduce_residual_rms_norm
from driftgate_stub_core.registry import implements
from driftgate_stub_core.shape import Shape
from driftgate_stub_core.trtllm import check_metadata, peers_of, two_shot_bytes_of

_RANK_COUNTS = (2, 4, 8, 16)  # the kernel's; the one-shot heuristic's table is shorter
# Up to how many tokens releases without that table pick one-shot.
_FEW_TOKENS = 128


@implements("trtllm_allreduce_fusion")
def allreduce_fusion(
    shape: Shape,
    *,
    allreduce_in: torch.Tensor,
    world_size: int,
    world_rank: int,
    token_num: int,
    hidden_dim: int,
    workspace_ptrs: torch.Tensor,
    launch_with_pdl: bool,
    trigger_completion_at_end: bool,
    fp32_acc: bool,
    pattern_code: int,
    use_oneshot: bool | None,
    allreduce_out: torch.Tensor | None,
    residual_in: torch.Tensor | None,
    residual_out: torch.Tensor | None,
    norm_out: torch.Tensor | None,
    rms_gamma: torch.Tensor | None,
    rms_eps: float | None,
    metadata: dict[str, Any] | None = None,
    weight_bias: float | None = None,
    **_quantisation: Any,
) -> None:
    """Check, choose one-shot or two-shot, launch.

    Raises:
        ValueError: ``metadata`` says that the problem does not fit.
        KeyError: ``use_oneshot`` is None and the heuristic has no row for the rank count.
        AssertionError: Two-shot with no more tokens than ranks.
        RuntimeError: The launcher refuses, a tensor that the pattern needs is missing, or
            two-shot is over its area.
    """
    warn_if_deprecated(shape, "trtllm_allreduce_fusion")
    dtype = allreduce_in.dtype
    if metadata is not None:
        check_metadata(
            shape,
            token_num=token_num,
            hidden_dim=hidden_dim,
            world_size=world_size,
            dtype=dtype,
            metadata=metadata,
        )
    if use_oneshot is None:
        megabytes = token_num * hidden_dim * 2 * world_size * dtype.itemsize / 1024 / 1024
        table = shape.find("_use_oneshot_heuristics", None)
        use_oneshot = token_num <= _FEW_TOKENS if table is None else megabytes <= table[world_size]
    if not use_oneshot:
        assert token_num > world_size, "sequence length should be larger than tp_size"
    use_oneshot = _within_lamport_area(
        shape,
        token_num * hidden_dim * world_size * (4 if dtype == torch.float32 else 2),
        use_oneshot,
    )
    needed = 2 * token_num * hidden_dim * dtype.itemsize  # two copies of the tokens
    if not use_oneshot and needed > two_shot_bytes_of(workspace_ptrs):
        raise RuntimeError("CUDA error: an illegal memory access was encountered")
    peers = peers_of(workspace_ptrs)
    plain = pattern_code == ALL_REDUCE
    needs = (
        {"allreduce_out": allreduce_out}
        if plain
        else {
            "residual_in": residual_in,
            "residual_out": residual_out,
            "norm_out": norm_out,
            "gamma": rms_gamma,
        }
    )
    for name, tensor in needs.items():
        if tensor is None:
            raise RuntimeError(f"trtllm all-reduce: {name} is null")
    launch(
        "trtllm_allreduce_fusion",
        backend="trtllm",
        peers=peers,
        rank_counts=_RANK_COUNTS,
        world_size=world_size,
        tokens=token_num,
        hidden=hidden_dim,
        dtype=dtype,
        pattern=pattern_code,
        use_oneshot=use_oneshot,
        trigger_completion_at_end=trigger_completion_at_end,
        launch_with_pdl=launch_with_pdl,
        fp32_acc=fp32_acc,
        like_input={"allreduce_in": allreduce_in, "allreduce_out": allreduce_out, **needs},
    )
    rows = allreduce_in.view(token_num, hidden_dim)
    if plain:
        all_reduce(peers, rows, allreduce_out)
        return
    all_reduce_residual_rms_norm(
        peers,
        rows,
        residual_in=residual_in,
        gamma=rms_gamma,
        eps=rms_eps or 0.0,
        weight_bias=weight_bias or 0.0,
        residual_out=residual_out,
        norm_out=norm_out,
    )


def _within_lamport_area(shape: Shape, needed: int, use_oneshot: bool) -> bool:
    """One-shot only where its area holds the problem; otherwise two-shot, with a warning."""
    limit = shape.find("MAX_COMM_SIZE", None)
    if not use_oneshot or limit is None or needed <= limit:
        return use_oneshot
    logging.warning(
        "required_lamport_comm_size %s is greater than MAX_COMM_SIZE %s. "
        "Cannot use oneshot in this case.",
        needed,
        limit,
    )
    return False
