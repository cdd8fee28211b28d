"""The MNNVL CuTe DSL workspace: compiled for one hidden size, one data type, one set of options."""

from __future__ import annotations

from typing import Any

import torch
import torch.distributed as dist

from driftgate_stub_core.kernel import launch
from driftgate_stub_core.lifecycle import begin, end
from driftgate_stub_core.memory import Memory
from driftgate_stub_core.numerics import ALL_REDUCE, all_reduce, all_reduce_residual_rms_norm
from driftgate_stub_core.peers import over_group
from driftgate_stub_core.registry import implements
from driftgate_stub_core.settings import device, fail_creation, fail_if
from driftgate_stub_core.shape import Shape

_CLASS = "MNNVLCuteDSLAllReduceFusionWorkspace"
_RANK_COUNTS = (2, 4, 8, 16)
_BLACKWELL = 100  # the lowest SM that the kernels are compiled for


@implements(f"{_CLASS}.__init__")
def _init(
    shape: Shape,
    self: Any,
    *,
    tp_size: int,
    tp_rank: int,
    max_token_num: int,
    hidden_dim: int,
    dtype: torch.dtype,
    group: Any = None,
    top_k: int = 10,
    rms_eps: float = 1e-6,
    weight_bias: float = 0.0,
    add_residual: bool = True,
    apply_rms_norm: bool = True,
    write_residual_output: bool = True,
    **_options: Any,
) -> None:
    self._destroyed = True  # a rejected creation has nothing to destroy
    _check(
        shape,
        tp_size=tp_size,
        hidden_dim=hidden_dim,
        dtype=dtype,
        max_token_num=max_token_num,
        top_k=top_k,
        apply_rms_norm=apply_rms_norm,
        write_residual_output=write_residual_output,
    )
    if not 0 <= tp_rank < tp_size:
        raise ValueError("tp_rank must be in [0, tp_size)")
    if group is None and not dist.is_initialized():
        raise ValueError("A ProcessGroup is required before initialization")
    if dist.get_world_size(group) != tp_size:
        raise ValueError("ProcessGroup size does not match tp_size")
    if dist.get_rank(group) != tp_rank:
        raise ValueError("ProcessGroup rank does not match tp_rank")
    fail_creation()

    begin(shape, self, world_size=tp_size, rank=tp_rank)
    self.max_token_num = max_token_num
    self.hidden_dim = hidden_dim
    self.top_k = top_k
    self.dtype = dtype
    self.group = dist.group.WORLD if group is None else group
    self.rms_eps = rms_eps
    self.weight_bias = weight_bias
    self.add_residual = add_residual
    self.apply_rms_norm = apply_rms_norm
    self.write_residual_output = write_residual_output
    self._memory = [Memory(_CLASS, max_token_num * hidden_dim * tp_size * dtype.itemsize)]
    self._peers = over_group(group)
    self._peers.meet("mnnvl-cutedsl", _CLASS)


def _check(
    shape: Shape,
    *,
    tp_size: int,
    hidden_dim: int,
    dtype: torch.dtype,
    max_token_num: int,
    top_k: int,
    apply_rms_norm: bool,
    write_residual_output: bool,
) -> None:
    """What can be said without memory and without peers.

    Raises:
        ValueError: The problem is not one that kernels exist for.
        RuntimeError: The device cannot run them.
    """
    if tp_size not in _RANK_COUNTS:
        raise ValueError("tp_size must be 2, 4, 8, or 16")
    if max_token_num <= 0:
        raise ValueError("max_token_num must be positive")
    if not apply_rms_norm and not write_residual_output:
        raise ValueError("write_residual_output must be True when apply_rms_norm is False")
    if dtype != torch.bfloat16:
        raise ValueError("MNNVL CuTe DSL kernels only support torch.bfloat16")
    if device().sm < _BLACKWELL:
        raise RuntimeError("MNNVL CuTe DSL kernels require a Blackwell GPU")
    if not device().multicast:
        raise RuntimeError("NVLink multicast is unavailable")
    if [tp_size, hidden_dim, top_k] not in shape.behaviour["cutedsl_profiles"]:
        raise ValueError("No MNNVL CuTe DSL profile supports this static shape")


@implements("is_mnnvl_cutedsl_supported")
def _is_supported(
    shape: Shape,
    *,
    tp_size: int,
    hidden_dim: int,
    dtype: torch.dtype,
    max_token_num: int,
    top_k: int = 10,
    apply_rms_norm: bool = True,
    write_residual_output: bool = True,
    **_options: Any,
) -> bool:
    try:
        _check(
            shape,
            tp_size=tp_size,
            hidden_dim=hidden_dim,
            dtype=dtype,
            max_token_num=max_token_num,
            top_k=top_k,
            apply_rms_norm=apply_rms_norm,
            write_residual_output=write_residual_output,
        )
    except (ValueError, RuntimeError):
        return False
    return True


@implements(f"{_CLASS}.backend")
def _backend(shape: Shape, self: Any) -> str:
    return "mnnvl-cutedsl"


@implements(f"{_CLASS}.is_buffer_size_sufficient")
def _is_sufficient(
    shape: Shape,
    self: Any,
    *,
    tp_size: int,
    num_tokens: int,
    hidden_dim: int,
    dtype: torch.dtype,
    **_hint: Any,
) -> bool:
    fail_if("size_check_raises")
    return bool(
        tp_size == self.world_size
        and num_tokens <= self.max_token_num
        and hidden_dim == self.hidden_dim
        and dtype == self.dtype
    )


@implements(f"{_CLASS}.destroy")
def _destroy(shape: Shape, self: Any) -> None:
    end(self, ())


def allreduce_fusion(
    shape: Shape,
    *,
    input: torch.Tensor,
    workspace: Any,
    pattern: int,
    launch_with_pdl: bool,
    output: torch.Tensor | None,
    residual_in: torch.Tensor | None,
    residual_out: torch.Tensor | None,
    norm_out: torch.Tensor | None,
    rms_gamma: torch.Tensor | None,
    rms_eps: float,
    weight_bias: float,
    unsupported: dict[str, Any],
) -> torch.Tensor:
    """Check that the call is the one that was compiled, launch.

    Args:
        unsupported: What these kernels have no use for; None or False where it was not sent.

    Raises:
        ValueError: Something sent is not what the workspace was compiled for.
        NotImplementedError: No kernel of this backend has the pattern.
        RuntimeError: The workspace has been destroyed.
    """
    if workspace._destroyed:
        raise RuntimeError("The MNNVLCuteDSLAllReduceFusionWorkspace has been destroyed")
    plain = pattern == ALL_REDUCE
    if plain and not shape.behaviour["cutedsl_plain_all_reduce"]:
        raise NotImplementedError("Unsupported MNNVL CuTe DSL fusion pattern")
    if plain and (workspace.apply_rms_norm or workspace.add_residual):
        raise ValueError(
            "kAllReduce needs an MNNVL CuTe DSL workspace built with "
            "apply_rms_norm=False and add_residual=False"
        )
    sent = [name for name, value in unsupported.items() if value not in (None, False)]
    if sent:
        raise ValueError("MNNVL CuTe DSL does not support: " + ", ".join(sent))
    if not plain:
        _check_norm(workspace, residual_in, rms_gamma, rms_eps, weight_bias)
    if input.ndim != 2 or input.shape[1] != workspace.hidden_dim:
        raise ValueError("input has an unsupported shape")
    if input.dtype != workspace.dtype:
        raise ValueError(f"input must have dtype {workspace.dtype}")
    if not input.is_contiguous():
        raise ValueError("input must be contiguous")
    if not 1 <= input.shape[0] <= workspace.max_token_num:
        raise ValueError("input token count exceeds workspace capacity")
    launch(
        "allreduce_fusion",
        backend="mnnvl-cutedsl",
        peers=workspace._peers,
        rank_counts=_RANK_COUNTS,
        world_size=workspace.world_size,
        tokens=input.shape[0],
        hidden=input.shape[1],
        dtype=input.dtype,
        pattern=pattern,
        use_oneshot=None,
        trigger_completion_at_end=None,
        launch_with_pdl=launch_with_pdl,
        fp32_acc=False,
        like_input={"residual_in": residual_in, "gamma": rms_gamma},
    )
    if plain:
        output = torch.empty_like(input) if output is None else output
        all_reduce(workspace._peers, input, output)
        return output
    norm_out = torch.empty_like(input) if norm_out is None else norm_out
    all_reduce_residual_rms_norm(
        workspace._peers,
        input,
        residual_in=residual_in,
        gamma=rms_gamma,
        eps=rms_eps,
        weight_bias=weight_bias,
        residual_out=residual_out,
        norm_out=norm_out,
    )
    return norm_out


def _check_norm(
    workspace: Any,
    residual_in: torch.Tensor | None,
    rms_gamma: torch.Tensor | None,
    rms_eps: float,
    weight_bias: float,
) -> None:
    if rms_eps != workspace.rms_eps:
        raise ValueError("rms_eps does not match the compiled workspace")
    if weight_bias != workspace.weight_bias:
        raise ValueError("weight_bias does not match the compiled workspace")
    if rms_gamma is None:
        raise ValueError("rms_gamma is required")
    if rms_gamma.dtype != workspace.dtype:
        raise ValueError(f"rms_gamma must have dtype {workspace.dtype}")
    if residual_in is None:
        raise ValueError("residual_in is required by the compiled workspace")
