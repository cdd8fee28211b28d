"""The MNNVL workspace: bytes by strategy, allocation, and its kernel."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import torch

from driftgate_stub_core.kernel import launch
from driftgate_stub_core.lifecycle import begin, end
from driftgate_stub_core.memory import round_up
from driftgate_stub_core.numerics import ALL_REDUCE, all_reduce, all_reduce_residual_rms_norm
from driftgate_stub_core.peers import Peers, over_comm_backend, over_group
from driftgate_stub_core.registry import implements
from driftgate_stub_core.settings import device, fail_if
from driftgate_stub_core.shape import Shape
from driftgate_stub_core.symmetric_memory import allocate, usable

_CLASS = "MNNVLAllReduceFusionWorkspace"
_UINT32_MAX = 2**32 - 1
_RANK_COUNTS = (2, 4, 8, 16, 32, 64)


@implements("MNNVLAllreduceFusionStrategy.select_strategy")
def select_strategy(
    shape: Shape, *, tp_size: int, num_tokens: int, hidden_dim: int, dtype: torch.dtype
) -> Any:
    """One-shot up to the threshold in bytes, two-shot above."""
    strategies = shape.find("MNNVLAllreduceFusionStrategy")
    size = num_tokens * hidden_dim * tp_size * _itemsize(dtype)
    fits = size <= shape.find("MNNVL_ONE_SHOT_THRESHOLD")
    return strategies.ONESHOT if fits else strategies.TWOSHOT


def strategy(shape: Shape, use_oneshot: bool | None) -> Any:
    """The member that ``use_oneshot`` stands for."""
    strategies = shape.find("MNNVLAllreduceFusionStrategy")
    if use_oneshot is None:
        return strategies.AUTO
    return strategies.ONESHOT if use_oneshot else strategies.TWOSHOT


@implements(f"{_CLASS}.get_required_buffer_size_bytes")
def required_bytes(
    shape: Shape,
    *,
    tp_size: int,
    num_tokens: int,
    hidden_dim: int,
    dtype: torch.dtype,
    strategy: Any,
) -> int:
    """Bytes that one of the Lamport buffers must have; not monotone in tokens under AUTO.

    One-shot keeps every rank's rows; two-shot keeps a slice of the rows, rounded up to the rank
    count, in two stages. Whatever is neither AUTO nor ONESHOT counts as two-shot, also None and
    True.
    """
    strategies = shape.find("MNNVLAllreduceFusionStrategy")
    if strategy == strategies.AUTO:
        strategy = select_strategy(
            shape, tp_size=tp_size, num_tokens=num_tokens, hidden_dim=hidden_dim, dtype=dtype
        )
    if strategy == strategies.ONESHOT:
        return num_tokens * hidden_dim * tp_size * _itemsize(dtype)
    return 2 * round_up(num_tokens, tp_size) * hidden_dim * _itemsize(dtype)


def _itemsize(dtype: torch.dtype | None) -> int:
    """Bytes of an element, of torch's default type for None, as the releases ask for it."""
    return torch.tensor([], dtype=dtype).element_size()


@implements(f"{_CLASS}.__init__")
def _init(
    shape: Shape,
    self: Any,
    *,
    mapping: Any,
    max_num_tokens: int | None = None,
    hidden_dim: int | None = None,
    dtype: torch.dtype | None = None,
    buffer_size_in_bytes: int | None = None,
    comm_backend: Any = None,
) -> None:
    begin(shape, self, world_size=mapping.world_size, rank=mapping.rank)
    size = buffer_size_in_bytes
    if size is None:
        assert max_num_tokens is not None and hidden_dim is not None and dtype is not None, (
            "max_num_tokens, hidden_dim, and dtype must be provided if buffer_size_in_bytes is "
            "not provided."
        )
        size = _default_bytes(shape, mapping.tp_size, max_num_tokens, hidden_dim, dtype)
    alignment = shape.behaviour["alignment"]
    if alignment > 16:
        size = round_up(size, alignment)
    if size > _UINT32_MAX:
        raise ValueError(
            f"The buffer size in bytes {size} is greater than the maximum supported size "
            f"(UINT32_MAX)."
        )
    self.rank = mapping.tp_rank
    self.tp_size = mapping.tp_size

    peers = None
    if shape.behaviour["peers_found"] == "first":
        peers = _peers(shape, comm_backend)
    self.handle = allocate(shape, _CLASS, size * self.NUM_LAMPORT_BUFFERS, backend="mnnvl")
    self._memory = [self.handle]
    self._peers = peers or _peers(shape, comm_backend)
    self._peers.meet("mnnvl", _CLASS)
    if self._peers.comm is None:
        over_comm_backend(comm_backend).comm.barrier()

    each = usable(shape, self.handle) // self.NUM_LAMPORT_BUFFERS
    self.buffer_size_bytes = each // alignment * alignment
    self.workspace_size_bytes = self.buffer_size_bytes * self.NUM_LAMPORT_BUFFERS
    self.buffer_flags = torch.tensor(
        [0, 2, self.buffer_size_bytes, 0, 0, 0, 0, 0, 0], dtype=torch.uint32
    )
    self.ptrs = self.handle.pointers(self.tp_size)
    self.uc_ptrs_dev = self.handle.address
    self.uc_ptr_local = self.ptrs[self.rank]
    is_null = "null_multicast" in device().faults or not device().multicast
    self.mc_ptr = 0 if is_null else self.handle.address + 1
    if is_null and shape.behaviour["null_multicast"] == "raises":
        self.destroy()
        raise RuntimeError(
            "[MNNVLAllReduceFusionWorkspace] Multicast pointer is null after rendezvous. "
            "This requires NVLink multicast (SM90+ with NVLink, e.g. H100 SXM). "
            "Use backend='trtllm' or backend='auto' on unsupported hardware."
        )


def _default_bytes(
    shape: Shape, tp_size: int, tokens: int, hidden_dim: int, dtype: torch.dtype
) -> int:
    """Room for one-shot up to the threshold, and for two-shot up to ``tokens``."""
    strategies = shape.find("MNNVLAllreduceFusionStrategy")
    per_token = tp_size * _itemsize(dtype) * hidden_dim
    oneshot_tokens = min(shape.find("MNNVL_ONE_SHOT_THRESHOLD") // per_token, tokens)
    return max(
        required_bytes(
            shape,
            tp_size=tp_size,
            num_tokens=count,
            hidden_dim=hidden_dim,
            dtype=dtype,
            strategy=strategy,
        )
        for count, strategy in ((oneshot_tokens, strategies.ONESHOT), (tokens, strategies.TWOSHOT))
    )


def _peers(shape: Shape, comm_backend: Any) -> Peers:
    if shape.behaviour["mnnvl_rendezvous"] == "comm_backend":
        return over_comm_backend(comm_backend)
    if isinstance(comm_backend, shape.find("TorchDistBackend")):
        return over_group(comm_backend._group)
    return over_group(None)


@implements(f"{_CLASS}.backend")
def _backend(shape: Shape, self: Any) -> str:
    return "mnnvl"


@implements(f"{_CLASS}.is_buffer_size_sufficient")
def is_sufficient(
    shape: Shape,
    self: Any,
    *,
    tp_size: int,
    num_tokens: int,
    hidden_dim: int,
    dtype: torch.dtype,
    strategy: Any,
) -> bool:
    """Compare bytes; neither rank count nor data type of the workspace is looked at.

    The stub class keeps the release's ``functools.cache`` around this, with what follows: a
    refusal is silent, the workspace stays referenced, a changed buffer size goes unnoticed.
    """
    fail_if("size_check_raises")
    needed = required_bytes(
        shape,
        tp_size=tp_size,
        num_tokens=num_tokens,
        hidden_dim=hidden_dim,
        dtype=dtype,
        strategy=strategy,
    )
    return bool(needed <= self.buffer_size_bytes)


@implements(f"{_CLASS}.destroy")
def _destroy(shape: Shape, self: Any) -> None:
    end(self, ("buffer_flags", "uc_ptrs_dev", "uc_ptr_local", "mc_ptr", "handle", "ptrs"))


def _fits(workspace: Any, strategy: Any, needed: int, problem: dict[str, Any]) -> bool:
    """Ask as the releases do: the cached method, which keeps the workspace alive from then on."""
    try:
        return bool(workspace.is_buffer_size_sufficient(*problem.values(), strategy))
    except (AttributeError, TypeError, ValueError):
        # An imagined shape has changed the method, and would call it otherwise.
        return bool(needed <= workspace.buffer_size_bytes)


def create(shape: Shape, *, world_size: int, rank: int, **sizes: Any) -> Any:
    """Make the stub's workspace for a group in which tensor parallelism is all there is."""
    mapping = SimpleNamespace(
        world_size=world_size, rank=rank, tp_size=world_size, tp_rank=rank % world_size
    )
    return shape.find(_CLASS)(mapping=mapping, **sizes)


def allreduce_fusion(
    shape: Shape,
    *,
    input: torch.Tensor,
    workspace: Any,
    pattern: int,
    strategy: Any,
    launch_with_pdl: bool,
    output: torch.Tensor | None,
    residual_in: torch.Tensor | None,
    residual_out: torch.Tensor | None,
    norm_out: torch.Tensor | None,
    rms_gamma: torch.Tensor | None,
    rms_eps: float,
    weight_bias: float,
) -> torch.Tensor:
    """Check the buffer for the strategy that is taken, launch.

    Raises:
        ValueError: A tensor is missing, not two-dimensional, or over the buffer.
        RuntimeError: The launcher refuses.
    """
    plain = pattern == ALL_REDUCE
    if not plain and residual_in is None:
        raise ValueError("MNNVL AllReduce+RMS fusion requires residual_in")
    if not plain and rms_gamma is None:
        raise ValueError("MNNVL AllReduce+RMS fusion requires rms_gamma")
    if plain:
        output = torch.empty_like(input) if output is None else output
        tensors = {"input": input, "output": output}
    else:
        norm_out = torch.empty_like(input) if norm_out is None else norm_out
        residual_out = torch.empty_like(input) if residual_out is None else residual_out
        tensors = {
            "input": input,
            "residual_in": residual_in,
            "norm_out": norm_out,
            "residual_out": residual_out,
        }
    for name, tensor in tensors.items():
        if tensor.ndim != 2:
            raise ValueError(f"The {name} tensor must be 2D, got {tensor.ndim}D.")
    tokens, hidden = input.shape
    if not plain and rms_gamma.numel() != hidden:
        raise ValueError(f"gamma has {rms_gamma.numel()} elements but expected {hidden} elements.")
    if rms_eps is None:
        rms_eps = torch.finfo(input.dtype).eps
    strategies = shape.find("MNNVLAllreduceFusionStrategy")
    problem = {
        "tp_size": workspace.tp_size,
        "num_tokens": tokens,
        "hidden_dim": hidden,
        "dtype": input.dtype,
    }
    if strategy == strategies.AUTO:
        strategy = select_strategy(shape, **problem)
    needed = required_bytes(shape, strategy=strategy, **problem)
    if not _fits(workspace, strategy, needed, problem):
        raise ValueError(
            f"The buffer size in the given workspace is insufficient for the given problem size. "
            f"Buffer: {workspace.buffer_size_bytes} bytes, Required: {needed} bytes."
        )
    if not workspace.mc_ptr:
        raise RuntimeError("CUDA error: an illegal memory access was encountered")
    launch(
        "allreduce_fusion",
        backend="mnnvl",
        peers=workspace._peers,
        rank_counts=_RANK_COUNTS,
        world_size=workspace.tp_size,
        tokens=tokens,
        hidden=hidden,
        dtype=input.dtype,
        pattern=pattern,
        use_oneshot=strategy == strategies.ONESHOT,
        trigger_completion_at_end=None,
        launch_with_pdl=launch_with_pdl,
        fp32_acc=None,
        like_input={**tensors, "gamma": None if plain else rms_gamma},
    )
    if plain:
        all_reduce(workspace._peers, input, output)
        return output
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
