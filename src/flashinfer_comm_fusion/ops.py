"""The public decisions and operations on tensors.

Decisions are plain Python, so that a compiled graph holds one branch; the kernel calls are
``torch.library`` ops, opaque to ``torch.compile``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch

from flashinfer_comm_fusion import kernel
from flashinfer_comm_fusion.engine import ensure_workspace_initialized, live_gate

if TYPE_CHECKING:
    from collections.abc import Callable

    from torch.distributed import ProcessGroup

    from flashinfer_comm_fusion.gate import Gate


class NoWorkspaceError(RuntimeError):
    """A kernel was asked for although its group has no workspace.

    Attributes:
        use_attn_tp_group: Which group.
    """

    def __init__(self, use_attn_tp_group: bool) -> None:
        self.use_attn_tp_group = use_attn_tp_group
        group = "attention" if use_attn_tp_group else "MoE"
        super().__init__(
            f"the {group} group has no all-reduce workspace; ask can_use_flashinfer_allreduce() "
            "before each call, and fusion_status() for the reason"
        )


def can_use_flashinfer_allreduce(
    input_: torch.Tensor,
    *,
    use_attn_tp_group: bool,
    expected_world_size: int,
    expected_group_key: tuple[ProcessGroup | None, ProcessGroup | None],
) -> bool:
    """Whether :func:`flashinfer_allreduce` can serve this input.

    The answer depends on the group, on what its ranks agreed on when the workspace was made, and
    on the input's metadata; so it is the same on every rank of the group, in eager mode and under
    ``torch.compile``.

    Args:
        input_: Tensor of shape [tokens, hidden]; only its metadata is read.
        use_attn_tp_group: The attention group's workspace, or else the MoE group's.
        expected_world_size: Ranks of the calling group.
        expected_group_key: ``(device_group, cpu_group)`` of the calling group. A workspace over
            other ranks, even as many, would reduce over the wrong peers.
    """
    gate = live_gate(use_attn_tp_group)
    return (
        gate is not None
        and gate.legality.plain
        and gate.world_size == expected_world_size
        and gate.group_key == expected_group_key
        and gate.admits(input_)
    )


def flashinfer_allreduce(input_: torch.Tensor, *, use_attn_tp_group: bool) -> torch.Tensor:
    """Sum a tensor over the ranks of a group.

    To be called only where :func:`can_use_flashinfer_allreduce` has just said yes. Kernel errors
    are not caught: see :mod:`flashinfer_comm_fusion.kernel`.

    Args:
        input_: Contiguous tensor of shape [tokens, hidden]; left as it is.
        use_attn_tp_group: The attention group, or else the MoE group.

    Returns:
        A new tensor of the same shape and dtype.

    Raises:
        NoWorkspaceError: There is no workspace for the group.
    """
    return _all_reduce_op(input_, use_attn_tp_group)


def flashinfer_allreduce_residual_rmsnorm(  # noqa: PLR0913, PLR0917 - SGLang's parameters
    input_tensor: torch.Tensor,
    residual: torch.Tensor,
    weight: torch.Tensor,
    eps: float = 1e-6,
    max_token_num: int = 2048,
    use_oneshot: bool | None = None,
    trigger_completion_at_end: bool = False,
    fp32_acc: bool = True,
    use_attn_tp_group: bool = True,
) -> tuple[torch.Tensor, torch.Tensor] | tuple[None, None]:
    """All-reduce, add the residual, RMSNorm, in one kernel.

    In eager mode a workspace that is missing or too small is made first, as in
    :func:`ensure_workspace_initialized`. Under ``torch.compile`` the one that exists is used.
    Kernel errors are not caught: see :mod:`flashinfer_comm_fusion.kernel`.

    Args:
        input_tensor: Contiguous tensor of shape [tokens, hidden], summed over the ranks.
        residual: Same shape and dtype.
        weight: RMSNorm weight of shape [hidden], same dtype.
        eps: RMSNorm epsilon.
        max_token_num: Tokens to make a workspace for; more than these are not served.
        use_oneshot: Choose one-shot or two-shot; None: the upstream chooses.
        trigger_completion_at_end: Let dependent kernels start only at the end.
        fp32_acc: Accumulate in float32 (TRT-LLM; the others always do).
        use_attn_tp_group: The attention group, or else the MoE group.

    Returns:
        ``(norm_out, residual_out)``, or ``(None, None)`` where the fused kernel cannot serve this
        call, on any rank: then the caller takes its ordinary path.
    """
    if not _are_alike(input_tensor, residual, weight):
        return None, None
    tokens, hidden = input_tensor.shape
    if tokens > max_token_num:
        return None, None
    if not torch.compiler.is_compiling():
        ensure_workspace_initialized(
            max_token_num=max_token_num,
            hidden_dim=hidden,
            dtype=input_tensor.dtype,
            token_num=tokens,
            use_oneshot=use_oneshot,
            use_attn_tp_group=use_attn_tp_group,
        )
    gate = live_gate(use_attn_tp_group)
    if gate is None or not gate.legality.fused or gate.legality.rms_eps not in (None, eps):
        return None, None
    use_oneshot = kernel.spoken_oneshot(gate, use_oneshot)
    if not gate.admits(input_tensor, use_oneshot):
        return None, None
    norm_out, residual_out = _fused_op(
        input_tensor,
        residual,
        weight,
        eps,
        use_oneshot,
        trigger_completion_at_end,
        fp32_acc,
        use_attn_tp_group,
    )
    return norm_out, residual_out


def _are_alike(input_: torch.Tensor, residual: torch.Tensor, weight: torch.Tensor) -> bool:
    """Whether the three fit together; the kernels read them all as the input's dtype."""
    return (
        input_.ndim == 2  # noqa: PLR2004 - [tokens, hidden]
        and input_.shape[0] > 0
        and residual.shape == input_.shape
        and weight.ndim == 1
        and weight.shape[0] == input_.shape[1]
        and residual.dtype == input_.dtype
        and weight.dtype == input_.dtype
        and residual.device == input_.device
        and weight.device == input_.device
        and input_.is_contiguous()
        and residual.is_contiguous()
        and weight.is_contiguous()
    )


def _gate_for_kernel(use_attn_tp_group: bool) -> Gate:
    gate = live_gate(use_attn_tp_group)
    if gate is None:
        raise NoWorkspaceError(use_attn_tp_group)
    return gate


def _all_reduce(input_: torch.Tensor, use_attn_tp_group: bool) -> torch.Tensor:
    return kernel.all_reduce(_gate_for_kernel(use_attn_tp_group), input_)


def _all_reduce_fake(
    input_: torch.Tensor,
    use_attn_tp_group: bool,  # noqa: ARG001 - the op's parameter
) -> torch.Tensor:
    return torch.empty_like(input_)


def _fused(  # noqa: PLR0913, PLR0917 - the op's parameters
    input_: torch.Tensor,
    residual: torch.Tensor,
    weight: torch.Tensor,
    eps: float,
    use_oneshot: bool | None,
    trigger_completion_at_end: bool,
    fp32_acc: bool,
    use_attn_tp_group: bool,
) -> tuple[torch.Tensor, torch.Tensor]:
    return kernel.all_reduce_residual_rmsnorm(
        _gate_for_kernel(use_attn_tp_group),
        input_,
        residual,
        weight,
        eps=eps,
        use_oneshot=use_oneshot,
        trigger_completion_at_end=trigger_completion_at_end,
        fp32_acc=fp32_acc,
    )


def _fused_fake(
    input_: torch.Tensor,
    residual: torch.Tensor,
    *_: object,
) -> tuple[torch.Tensor, torch.Tensor]:
    return torch.empty_like(input_), torch.empty_like(residual)


# Defined by schema instead of `torch.library.custom_op`: half the cost of a call.
_library: Any = torch.library.Library("flashinfer_comm_fusion", "FRAGMENT")  # type: ignore[no-untyped-call]
_ALL_REDUCE = "all_reduce(Tensor input, bool use_attn_tp_group) -> Tensor"
_FUSED = (
    "all_reduce_residual_rmsnorm(Tensor input, Tensor residual, Tensor weight, float eps, "
    "bool? use_oneshot, bool trigger_completion_at_end, bool fp32_acc, bool use_attn_tp_group) "
    "-> (Tensor, Tensor)"
)
for _schema, _implementation, _fake in (
    (_ALL_REDUCE, _all_reduce, _all_reduce_fake),
    (_FUSED, _fused, _fused_fake),
):
    _name = _library.define(_schema)
    _library.impl(_name, _implementation, "CompositeExplicitAutograd")
    torch.library.register_fake(f"flashinfer_comm_fusion::{_name}", _fake, lib=_library)

_all_reduce_op: Callable[..., torch.Tensor] = torch.ops.flashinfer_comm_fusion.all_reduce.default
_fused_op: Callable[..., tuple[torch.Tensor, torch.Tensor]] = (
    torch.ops.flashinfer_comm_fusion.all_reduce_residual_rmsnorm.default
)
