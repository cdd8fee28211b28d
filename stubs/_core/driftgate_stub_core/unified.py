"""The unified API: which backend a workspace is made for, and which one a call goes to."""

from __future__ import annotations

import importlib
import logging
from typing import Any

import torch
import torch.distributed as dist

from driftgate_stub_core import cutedsl, mnnvl, trtllm_kernel
from driftgate_stub_core.numerics import PATTERNS
from driftgate_stub_core.peers import over_comm_backend
from driftgate_stub_core.registry import implements
from driftgate_stub_core.settings import device
from driftgate_stub_core.shape import Shape
from driftgate_stub_core.trtllm import metadata_of

_CUTEDSL = "MNNVLCuteDSLAllReduceFusionWorkspace"
_TRTLLM_MOST_RANKS = 16
_BLOCK_QUANTISED = (8, 9)  # patterns that need block_quant_group_size
_log_of_mnnvl = logging.getLogger("flashinfer.comm.mnnvl")


@implements("create_allreduce_fusion_workspace")
def create(
    shape: Shape,
    *,
    backend: str = "auto",
    world_size: int,
    rank: int,
    max_token_num: int,
    hidden_dim: int,
    dtype: torch.dtype,
    gpus_per_node: int | None = None,
    comm_backend: Any = None,
    force_oneshot_support: bool = False,
    group: Any = None,
    **options: Any,
) -> Any:
    """Make the workspace of the backend that is asked for, or of the one that ``auto`` picks.

    ``options`` are what only the CuTe DSL backend takes; None is as good as unsent.

    Raises:
        ValueError: ``auto`` finds no backend, or an option belongs to another backend.
        RuntimeError: There is no such backend.
    """
    takes_options = bool(options)
    options = {name: value for name, value in options.items() if value is not None}
    sizes = {"max_token_num": max_token_num, "hidden_dim": hidden_dim, "dtype": dtype}
    if backend == "mnnvl-cutedsl" and takes_options:
        _refuse_unused(gpus_per_node, comm_backend, force_oneshot_support)
        if shape.find(_CUTEDSL, None) is None:
            importlib.import_module("flashinfer.comm.mnnvl_cutedsl_ar")  # as late as the releases
        make = shape.find(_CUTEDSL)
        return make(tp_size=world_size, tp_rank=rank, group=group, **sizes, **options)
    if options:
        raise ValueError("Only backend='mnnvl-cutedsl' accepts: " + ", ".join(options))
    if gpus_per_node is None:
        min(device().device_count, world_size)  # of no consequence, but for a missing world_size
    if backend == "auto":
        backend = _pick(shape, world_size, comm_backend, group)
    if backend == "trtllm":
        if group is not None:
            sizes["group"] = group
        make = shape.find("TRTLLMAllReduceFusionWorkspace")
        return make(tp_size=world_size, tp_rank=rank, comm_backend=comm_backend, **sizes)
    if backend != "mnnvl":
        raise RuntimeError(f"Unknown backend: {backend}")
    buffer_size = None
    if force_oneshot_support:
        buffer_size = mnnvl.required_bytes(
            shape,
            tp_size=world_size,
            num_tokens=max_token_num,
            hidden_dim=hidden_dim,
            dtype=dtype,
            strategy=shape.find("MNNVLAllreduceFusionStrategy").ONESHOT,
        )
    return mnnvl.create(
        shape,
        world_size=world_size,
        rank=rank,
        max_num_tokens=max_token_num,
        hidden_dim=hidden_dim,
        dtype=dtype,
        buffer_size_in_bytes=buffer_size,
        comm_backend=comm_backend,
    )


def _refuse_unused(gpus_per_node: int | None, comm_backend: Any, force_oneshot: bool) -> None:
    ignored = [
        name
        for name, is_sent in (
            ("gpus_per_node", gpus_per_node is not None),
            ("comm_backend", comm_backend is not None),
            ("force_oneshot_support", force_oneshot),
        )
        if is_sent
    ]
    if ignored:
        raise ValueError("backend='mnnvl-cutedsl' does not use: " + ", ".join(ignored))


def _pick(shape: Shape, world_size: int, comm_backend: Any, group: Any) -> str:
    """``mnnvl`` wherever it is taken to work, else ``trtllm`` up to 16 ranks."""
    if shape.behaviour["auto"] == "any" or _all_have_multicast(
        shape, world_size, comm_backend, group
    ):
        return "mnnvl"
    if world_size <= _TRTLLM_MOST_RANKS:
        return "trtllm"
    raise ValueError("No suitable backend found. ")


def _all_have_multicast(shape: Shape, world_size: int, comm_backend: Any, group: Any) -> bool:
    """Ask every rank; a communicator of another size than the workspace cannot be asked."""
    own = device().multicast
    if world_size <= 1:
        return own
    comm = comm_backend
    if comm is None and dist.is_initialized():
        comm = shape.find("TorchDistBackend")(group=group)
    comm = over_comm_backend(comm).comm
    if comm.Get_size() != world_size:
        _log_of_mnnvl.warning(
            "[MNNVL] capability-vote comm size %d != world_size %d; disabling "
            "MNNVL auto-selection. Pass a comm_backend/group scoped to the "
            "workspace ranks to enable it.",
            comm.Get_size(),
            world_size,
        )
        return False
    return all(comm.allgather(own))


@implements("allreduce_fusion")
def allreduce_fusion(
    shape: Shape,
    *,
    input: torch.Tensor,
    workspace: Any,
    pattern: int,
    launch_with_pdl: bool = False,
    trigger_completion_at_end: bool | None = None,
    output: torch.Tensor | None = None,
    residual_out: torch.Tensor | None = None,
    norm_out: torch.Tensor | None = None,
    quant_out: torch.Tensor | None = None,
    residual_in: torch.Tensor | None = None,
    rms_gamma: torch.Tensor | None = None,
    rms_eps: float = 1e-6,
    layout_code: int | None = None,
    use_oneshot: bool | None = None,
    fp32_acc: bool = False,
    weight_bias: float = 0.0,
    block_quant_group_size: int | None = None,
    moe_finalize_backend: str = "trtllm",
    **_quantisation: Any,
) -> torch.Tensor:
    """Go where the workspace's class says.

    Raises:
        ValueError: The backend does not have the pattern, or lacks a tensor for it.
        TypeError: The workspace is of no known class.
    """
    tensors = {
        "output": output,
        "residual_in": residual_in,
        "residual_out": residual_out,
        "norm_out": norm_out,
        "rms_gamma": rms_gamma,
        "rms_eps": rms_eps,
        "weight_bias": weight_bias,
    }
    is_trtllm = _is_a(shape, workspace, "TRTLLMAllReduceFusionWorkspace")
    if moe_finalize_backend == "cake" and not is_trtllm:
        raise ValueError("moe_finalize_backend='cake' requires a TRTLLMAllReduceFusionWorkspace")
    if is_trtllm:
        if pattern in _BLOCK_QUANTISED and _names_pattern(shape, pattern):
            if block_quant_group_size is None:
                raise ValueError(f"block_quant_group_size is required for pattern: {pattern}")
        # A shape that cannot be told when to trigger follows the launch mode.
        trigger = (
            launch_with_pdl if trigger_completion_at_end is None else trigger_completion_at_end
        )
        return _trtllm(
            shape,
            input,
            workspace,
            pattern_code=pattern,
            launch_with_pdl=launch_with_pdl,
            trigger_completion_at_end=trigger,
            fp32_acc=fp32_acc,
            use_oneshot=use_oneshot,
            quant_out=quant_out,
            tensors=tensors,
        )
    if _is_a(shape, workspace, _CUTEDSL):
        unsupported = {
            "layout_code": layout_code,
            "use_oneshot": None if use_oneshot is None else "sent",
            "block_quant_group_size": block_quant_group_size,
            "fp32_acc": fp32_acc,
        }
        return cutedsl.allreduce_fusion(
            shape,
            input=input,
            workspace=workspace,
            pattern=pattern,
            launch_with_pdl=launch_with_pdl,
            unsupported=unsupported,
            **tensors,
        )
    if not _is_a(shape, workspace, "MNNVLAllReduceFusionWorkspace"):
        if "cutedsl_profiles" in shape.behaviour:
            workspace.backend  # by which these shapes tell that backend  # noqa: B018
        raise TypeError(f"Unknown workspace type: {type(workspace)}.")
    # Hints came to be honoured, and layouts to be taken, in one release.
    if layout_code is not None and not shape.behaviour["mnnvl_honours_oneshot"]:
        raise ValueError("MNNVL AllReduce does not support quantization fusion and thus no layout")
    if pattern not in PATTERNS:
        raise ValueError(
            f"MNNVL AllReduce+RMS fusion does not support pattern {pattern}. "
            f"Please try the TRTLLM backend instead."
        )
    return mnnvl.allreduce_fusion(
        shape,
        input=input,
        workspace=workspace,
        pattern=pattern,
        strategy=mnnvl.strategy(
            shape, use_oneshot if shape.behaviour["mnnvl_honours_oneshot"] else None
        ),
        launch_with_pdl=launch_with_pdl,
        **tensors,
    )


def _is_a(shape: Shape, workspace: Any, class_name: str) -> bool:
    cls = shape.find(class_name, None)
    return cls is not None and isinstance(workspace, cls)


def _names_pattern(shape: Shape, pattern: int) -> bool:
    return pattern in vars(shape.find("AllReduceFusionPattern")).values()


def _trtllm(
    shape: Shape,
    input: torch.Tensor,
    workspace: Any,
    *,
    quant_out: torch.Tensor | None,
    tensors: dict[str, Any],
    **flags: Any,
) -> torch.Tensor:
    """Flatten everything, as the kernel wants it, and return the most downstream output."""
    token_num, hidden_dim = input.shape
    output, norm_out = tensors.pop("output"), tensors.pop("norm_out")
    if output is None:
        output = torch.empty_like(input)
    flat = {
        name: _flat(tensor, name)
        for name, tensor in (
            ("input", input),
            ("output", output),
            ("norm_out", norm_out),
            *((name, tensors.pop(name)) for name in ("residual_in", "residual_out")),
        )
    }
    trtllm_kernel.allreduce_fusion(
        shape,
        allreduce_in=flat.pop("input"),
        allreduce_out=flat.pop("output"),
        world_size=workspace.world_size,
        world_rank=workspace.rank,
        token_num=token_num,
        hidden_dim=hidden_dim,
        workspace_ptrs=workspace.workspace_tensor,
        metadata=metadata_of(workspace),
        **flat,
        **tensors,
        **flags,
    )
    if norm_out is not None:
        return norm_out
    return output if quant_out is None else quant_out


def _flat(tensor: torch.Tensor | None, name: str) -> torch.Tensor | None:
    if tensor is None:
        return None
    if not tensor.is_contiguous():
        raise ValueError(f"{name} must be contiguous")
    return tensor.view(-1)
