"""The TRT-LLM workspace: its validator, its creation, and the calls that predate the class."""

from __future__ import annotations

import logging
from typing import Any

import torch

from driftgate_stub_core.decorators import warn_if_deprecated
from driftgate_stub_core.lifecycle import begin, end
from driftgate_stub_core.memory import round_up
from driftgate_stub_core.peers import Peers, over_comm_backend, over_group
from driftgate_stub_core.registry import implements
from driftgate_stub_core.settings import fail_if
from driftgate_stub_core.shape import Shape
from driftgate_stub_core.symmetric_memory import allocate

_CREATE = "trtllm_create_ipc_workspace_for_all_reduce_fusion"
_REQUIRED_KEYS = ("max_token_num", "tp_size", "hidden_dim", "use_fp32_lamport")
_BARRIER_FLAGS = 256
_CONTROL_FLAGS = 5  # int32 each: two counters, a flag, the buffer offset, the clear size
_log_of_trtllm_ar = logging.getLogger("flashinfer.comm.trtllm_ar")
_log_of_allreduce = logging.getLogger("flashinfer.comm.allreduce")


@implements("check_trtllm_allreduce_fusion_workspace_metadata")
def check_metadata(
    shape: Shape,
    *,
    token_num: int,
    hidden_dim: int,
    world_size: int,
    dtype: torch.dtype,
    metadata: dict[str, Any],
) -> None:
    """Compare a problem with what the workspace was made for.

    Raises:
        ValueError: A key is missing, the rank count differs, ``tokens x hidden`` is over the
            capacity, or FP32-Lamport mode is unlike the data type.
    """
    _refuse(
        "Workspace metadata validation failed",
        [
            f"Workspace metadata is missing required key: {key}"
            for key in _REQUIRED_KEYS
            if key not in metadata
        ],
    )
    errors = []
    if world_size != metadata["tp_size"]:
        errors.append(
            f"world_size ({world_size}) does not match workspace tp_size ({metadata['tp_size']}). "
            f"Workspace was created for tp_size={metadata['tp_size']}."
        )
    if shape.behaviour.get("in_call_check") == "exact":
        errors += _exact(token_num, hidden_dim, metadata)
    elif token_num * hidden_dim > metadata["max_token_num"] * metadata["hidden_dim"]:
        errors.append(
            f"token_num ({token_num}) * hidden_dim ({hidden_dim}) exceeds workspace max_token_num "
            f"({metadata['max_token_num']}) * hidden_dim ({metadata['hidden_dim']}). "
            f"This may cause Illegal Memory Access."
        )
    if metadata["use_fp32_lamport"] != (dtype == torch.float32):
        errors.append(
            f"use_fp32_lamport ({metadata['use_fp32_lamport']}) does not match allreduce_in.dtype "
            f"({dtype}). Workspace was created for "
            f"use_fp32_lamport={metadata['use_fp32_lamport']}."
        )
    _refuse("Workspace validation failed", errors)


def _exact(token_num: int, hidden_dim: int, metadata: dict[str, Any]) -> list[str]:
    """What the releases before the unified API compare instead of the capacity."""
    errors = []
    if token_num > metadata["max_token_num"]:
        errors.append(
            f"token_num ({token_num}) exceeds workspace max_token_num "
            f"({metadata['max_token_num']}). This may cause Illegal Memory Access."
        )
    if hidden_dim != metadata["hidden_dim"]:
        errors.append(
            f"hidden_dim ({hidden_dim}) does not match workspace hidden_dim "
            f"({metadata['hidden_dim']}). "
            f"Workspace was created for hidden_dim={metadata['hidden_dim']}."
        )
    return errors


def _refuse(heading: str, errors: list[str]) -> None:
    if errors:
        raise ValueError(f"{heading}:\n" + "\n".join(f"  - {error}" for error in errors))


@implements(_CREATE)
def create_ipc_workspace(
    shape: Shape,
    *,
    tp_rank: int,
    tp_size: int,
    max_token_num: int,
    hidden_dim: int,
    use_fp32_lamport: bool = False,
    group: Any = None,
    create_metadata: bool = False,
    comm_backend: Any = None,
    use_symm_dev_mem: bool = False,
) -> tuple[Any, ...]:
    """Allocate three buffers, meet the peers, and return what the flags ask for.

    Returns:
        ``(ipc_handles, workspace_tensor)``, then the memory handles where ``use_symm_dev_mem``,
        then the metadata where ``create_metadata``.
    """
    if comm_backend is None and use_symm_dev_mem:
        comm_backend = shape.find("TorchDistBackend")(group=group)
    if use_symm_dev_mem and not create_metadata:
        raise ValueError("use_symm_dev_mem is only supported when create_metadata=True")

    elements = tp_size * max_token_num * hidden_dim
    is_fp32_counted = use_fp32_lamport and shape.behaviour.get("two_shot_area") == "by element"
    buffer_size = elements * (4 if is_fp32_counted else 2)
    flag_size = tp_size * _BARRIER_FLAGS * 4
    lamport_comm_size = _clamped(shape, elements * (4 if use_fp32_lamport else 2))
    sizes = (buffer_size, flag_size, lamport_comm_size * 3)

    if use_symm_dev_mem and shape.behaviour["trtllm_rendezvous"] == "comm_backend":
        peers = over_comm_backend(comm_backend)
    else:
        peers = over_group(None if shape.behaviour.get("trtllm_rendezvous") == "world" else group)
    memory = []
    for size in sizes:
        memory.append(
            allocate(
                shape,
                _CREATE,
                round_up(size, shape.behaviour.get("trtllm_alignment", 16)),
                # CUDA's own IPC has no multicast to ask for.
                backend="trtllm" if use_symm_dev_mem else "ipc",
            )
        )
        peers.meet("trtllm", _CREATE)
    if use_symm_dev_mem and peers.comm is None:
        comm_backend.barrier()  # at the end all wait for it, whatever they met over

    ipc_handles = [handle.pointers(tp_size) for handle in memory]
    shown = [[hex(pointer) for pointer in pointers] for pointers in ipc_handles]
    _say(shape, f"rank {tp_rank} allocated ipc_handles: {shown}")
    _say(shape, f"set flag_ptr[3] = lamport_comm_size:  {lamport_comm_size}")
    pointers = [*sum(ipc_handles, []), memory[-1].address + _CONTROL_FLAGS]
    for index, pointer in enumerate(pointers):
        _say(shape, f"Rank {tp_rank} workspace[{index}] {pointer:#x}")
    workspace_tensor = torch.tensor(pointers, dtype=torch.int64)
    workspace_tensor.peers = peers  # what the addresses stand for
    workspace_tensor.two_shot_bytes = buffer_size

    metadata = {
        "tp_rank": tp_rank,
        "tp_size": tp_size,
        "max_token_num": max_token_num,
        "hidden_dim": hidden_dim,
        "use_fp32_lamport": use_fp32_lamport,
        "buffer_size": buffer_size,
        "flag_size": flag_size,
        "lamport_comm_size": lamport_comm_size,
        "lamport_buffer_size": lamport_comm_size * 3,
    }
    metadata |= dict.fromkeys(shape.behaviour.get("metadata_adds", ()), pointers[-1])
    if not use_symm_dev_mem or shape.behaviour["trtllm_memory"] == "kept":
        _table[id(ipc_handles)] = (ipc_handles, memory)
    if not create_metadata:
        return ipc_handles, workspace_tensor
    if use_symm_dev_mem:
        return ipc_handles, workspace_tensor, memory, metadata
    return ipc_handles, workspace_tensor, metadata


# What is in here outlives its workspace. The list is kept too, so that no other has its id; in the
# releases another may, and then replaces it.
_table: dict[int, tuple[list[list[int]], list[Any]]] = {}


@implements("trtllm_destroy_ipc_workspace_for_all_reduce")
@implements("trtllm_destroy_ipc_workspace_for_all_reduce_fusion")
def destroy_ipc_workspace(shape: Shape, *, workspace: list[list[int]], group: Any = None) -> None:
    """Take out of the table what is filed under the list ``workspace``, if anything is.

    It is freed unless a workspace's own handles keep it.
    """
    fail_if("destroy_raises")
    _table.pop(id(workspace), None)


def _clamped(shape: Shape, size: int) -> int:
    """The Lamport area, clamped near 2 GiB with a warning where the release does so."""
    limit = shape.find("MAX_COMM_SIZE", None)
    if limit is None or size <= limit:
        return size
    logging.warning(
        "warning: lamport_comm_size %s is greater than MAX_COMM_SIZE %s, set to MAX_COMM_SIZE",
        size,
        limit,
    )
    return int(limit)


def _say(shape: Shape, text: str) -> None:
    """Say something of no consequence the way the release does."""
    if shape.behaviour["refusal"] == "print":
        print(text)
    else:
        _log_of_trtllm_ar.debug("%s", text)


@implements("TRTLLMAllReduceFusionWorkspace.__init__")
def _init(
    shape: Shape,
    self: Any,
    *,
    tp_size: int,
    tp_rank: int,
    max_token_num: int,
    hidden_dim: int,
    dtype: torch.dtype = torch.float16,
    comm_backend: Any = None,
    group: Any = None,
) -> None:
    begin(shape, self, world_size=tp_size, rank=tp_rank)
    warn_if_deprecated(shape, _CREATE)
    self._internal_workspace = create_ipc_workspace(
        shape,
        tp_rank=tp_rank,
        tp_size=tp_size,
        max_token_num=max_token_num,
        hidden_dim=hidden_dim,
        use_fp32_lamport=dtype == torch.float32,
        group=group,
        create_metadata=True,
        comm_backend=comm_backend,
        use_symm_dev_mem=True,
    )
    self.ipc_handles, self.workspace_tensor, self.mem_handles, self.metadata = (
        self._internal_workspace
    )


@implements("TRTLLMAllReduceFusionWorkspace.backend")
def _backend(shape: Shape, self: Any) -> str:
    return "trtllm"


@implements("TRTLLMAllReduceFusionWorkspace.__getattr__")
def _getattr(shape: Shape, self: Any, *, name: str) -> Any:
    if name.startswith("_"):
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")
    return getattr(self._internal_workspace, name)


@implements("TRTLLMAllReduceFusionWorkspace.is_buffer_size_sufficient")
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
    """Ask the validator; each refusal is printed or logged, and no hint is looked at."""
    fail_if("size_check_raises")
    try:
        check_metadata(
            shape,
            token_num=num_tokens,
            hidden_dim=hidden_dim,
            world_size=tp_size,
            dtype=dtype,
            metadata=metadata_of(self),
        )
    except ValueError as error:
        if shape.behaviour["refusal"] == "print":
            print(f"Workspace is insufficient for problem size. {error}")
        else:
            _log_of_allreduce.warning("Workspace is insufficient for problem size. %s", error)
        return False
    return True


@implements("TRTLLMAllReduceFusionWorkspace.destroy")
def _destroy(shape: Shape, self: Any) -> None:
    """Drop the attributes; the memory goes with the object, or stays: ``trtllm_memory``."""
    end(self, ("ipc_handles", "workspace_tensor", "mem_handles", "metadata"))


def peers_of(workspace_tensor: torch.Tensor) -> Peers:
    """Whom the addresses in ``workspace_tensor`` belong to."""
    peers: Peers = workspace_tensor.peers
    return peers


def two_shot_bytes_of(workspace_tensor: torch.Tensor) -> int:
    """Bytes of the area that two-shot works in."""
    size: int = workspace_tensor.two_shot_bytes
    return size


def metadata_of(workspace: Any) -> dict[str, Any]:
    """What the workspace was made for; a shape that shows it otherwise keeps it as ``_limits``."""
    limits: dict[str, Any] = vars(workspace).get("_limits") or workspace.metadata
    return limits
