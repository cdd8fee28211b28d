# ruff: noqa: ANN401 - communicators, groups and handles are the upstream's and torch's own
"""Shared memory: where a workspace meets its peers, on any of the three allocators."""

from __future__ import annotations

import functools
import sys
import weakref
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import torch
import torch.distributed as dist
from torch.distributed import ProcessGroup
from torch.distributed.distributed_c10d import (  # type: ignore[attr-defined]
    _get_default_group,
    _resolve_process_group,
)

from driftgate.wheels.machine import Peers, Region

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from driftgate.wheels.machine import Machine

_DRIVER_SYMBOL = "SymmDeviceMemory"
_TORCH_SYMBOL = "symm_mem.rendezvous"
_SHARED_SYMBOL = "create_shared_buffer"


class Meetings:
    """Notes each rendezvous with its peers, and emits it.

    Args:
        machine: The pretended machine.
        backends: Which backend a workspace belongs to, by the module that allocates it.
    """

    def __init__(self, machine: Machine, backends: Mapping[str, str]) -> None:
        self.machine = machine
        self._backends = backends

    def note(self, symbol: str, peers: Peers) -> None:
        """Emit one rendezvous."""
        ranks = list(peers.ranks)
        self.machine.emit(
            "rendezvous", symbol, backend=self._backend(), over=peers.over, ranks=ranks
        )

    def _backend(self) -> str:
        # Allocators are not told whom they serve; the stack says it.
        frame = sys._getframe(1)  # noqa: SLF001 - the documented way to a caller's frame
        while frame is not None:
            backend = self._backends.get(frame.f_globals.get("__name__", ""))
            if backend is not None:
                return backend
            frame = frame.f_back  # type: ignore[assignment]
        return ""


def peers_of_group(group: ProcessGroup) -> Peers:
    """The peers of a process group."""
    over = "world" if group is dist.group.WORLD else "group"
    return Peers(tuple(dist.get_process_group_ranks(group)), over, group)


def peers_of_communicator(comm: Any) -> Peers:
    """The peers that a communicator reaches.

    A communicator does not say which global ranks it reaches. Where it holds a process group,
    those are the group's (a torch communicator without one is over WORLD). Otherwise its members
    are asked, and where they cannot be told apart they are counted.
    """
    held = [value for value in vars(comm).values() if isinstance(value, ProcessGroup)]
    if held:
        group: ProcessGroup | None = held[0]
    elif hasattr(comm, "_group") and dist.is_initialized():
        group = dist.group.WORLD
    else:
        group = None
    if group is not None:
        return Peers(tuple(dist.get_process_group_ranks(group)), "comm_backend", group)
    own = dist.get_rank() if dist.is_initialized() else comm.Get_rank()
    ranks = tuple(comm.allgather(own))
    if len(set(ranks)) < len(ranks):
        ranks = tuple(range(comm.Get_size()))
    over = "mpi" if type(comm).__name__.startswith("MPI") else "comm_backend"
    return Peers(ranks, over, None, comm.allgather)


def watch_symm_device_memory(cls: type, meetings: Meetings) -> None:
    """Let the release's own ``SymmDeviceMemory`` say with whom it met."""
    original: Callable[..., None] = cls.__init__  # type: ignore[misc]
    machine = meetings.machine

    @functools.wraps(original)
    def init(self: Any, *args: Any, **kwargs: Any) -> None:
        original(self, *args, **kwargs)
        peers = peers_of_communicator(self.comm_backend)
        if machine.has_fault("null_multicast"):
            self.mc_ptr = 0
        for address in (self.uc_ptrs[0], self.uc_ptrs_dev, self.mc_ptr):
            region = machine.region_at(int(address)) if address else None
            if region is not None:
                region.peers = peers
        unicast = machine.region_at(self.uc_ptrs[0])
        if unicast is not None:
            unicast.stride = self.allocation_size
        meetings.note(_DRIVER_SYMBOL, peers)

    cls.__init__ = init  # type: ignore[misc]


class TorchSymmetricMemory:
    """What the releases use of ``torch.distributed._symmetric_memory``.

    Buffers are ``meta`` tensors: they have a size and no bytes. The usable size is exactly what
    was asked for; torch's allocator puts its signal pad on top.
    """

    def __init__(self, meetings: Meetings) -> None:
        self._meetings = meetings
        self._regions: weakref.WeakKeyDictionary[torch.Tensor, Region] = weakref.WeakKeyDictionary()

    def empty(self, *size: Any, dtype: torch.dtype, device: Any = None) -> torch.Tensor:
        """Allocate; the memory is freed when the tensor dies."""
        del device
        machine = self._meetings.machine
        if machine.has_fault("create_raises_oom"):
            raise torch.OutOfMemoryError("CUDA out of memory (pretended)")
        if machine.has_fault("create_raises"):
            raise RuntimeError("symmetric memory allocation failed (pretended)")
        tensor = torch.empty(*size, dtype=dtype, device="meta")
        handle = machine.allocate("symm_mem.empty", tensor.numel() * tensor.element_size())
        weakref.finalize(tensor, machine.release, "symm_mem.empty", handle)
        return tensor

    def rendezvous(self, tensor: torch.Tensor, group: Any) -> Any:
        """Meet the peers of ``group`` (a process group or its name); return the handle."""
        machine = self._meetings.machine
        resolved = group if isinstance(group, ProcessGroup) else _resolve_process_group(group)
        peers = peers_of_group(resolved)
        size = tensor.numel() * tensor.element_size()
        count = len(peers.ranks)
        unicast = machine.reserve(size * count, stride=size)
        pointers, multicast = machine.reserve(8 * count), machine.reserve(size)
        for region in (unicast, pointers, multicast):
            region.peers = peers
        weakref.finalize(tensor, _retire, (unicast, pointers, multicast))
        self._meetings.note(_TORCH_SYMBOL, peers)
        has_multicast = machine.device.multicast and not machine.has_fault("null_multicast")
        addresses = [unicast.base + index * size for index in range(count)]

        def get_buffer(peer: int, *_: Any, storage_offset: int = 0, **__: Any) -> Any:
            address = addresses[peer] + storage_offset * tensor.element_size()
            return SimpleNamespace(data_ptr=lambda: address)

        return SimpleNamespace(
            buffer_size=size,
            buffer_ptrs=addresses,
            buffer_ptrs_dev=pointers.base,
            multicast_ptr=multicast.base if has_multicast else 0,
            rank=dist.get_rank(resolved),
            world_size=count,
            get_buffer=get_buffer,
        )


class SharedBuffers:
    """What the releases use of CUDA IPC: a buffer of each rank, opened by all of its peers.

    Peers hand their handles over through the process group, and torch's ``fake`` group has none.
    """

    def __init__(self, meetings: Meetings) -> None:
        self._meetings = meetings
        self._made: dict[int, tuple[Region, int]] = {}

    def create(self, size_in_bytes: int, group: ProcessGroup | None = None) -> list[int]:
        """Allocate, meet the peers of ``group``, and return the address of each one's buffer."""
        machine = self._meetings.machine
        if machine.has_fault("create_raises_oom"):
            raise torch.OutOfMemoryError("CUDA out of memory (pretended)")
        if machine.has_fault("create_raises"):
            raise RuntimeError("cudaMalloc failed (pretended)")
        peers = peers_of_group(group or _get_default_group())
        count = len(peers.ranks)
        region = machine.reserve(size_in_bytes * count, stride=size_in_bytes)
        region.peers = peers
        self._made[region.base] = region, machine.allocate(_SHARED_SYMBOL, size_in_bytes)
        self._meetings.note(_SHARED_SYMBOL, peers)
        return [region.base + index * size_in_bytes for index in range(count)]

    def free(self, pointers: list[int], group: ProcessGroup | None = None) -> None:
        """Free a buffer that was made here; what other allocators made is theirs to free."""
        del group
        region, handle = self._made.pop(pointers[0] if pointers else 0, (None, 0))
        if region is not None:
            region.live = False
            self._meetings.machine.release(_SHARED_SYMBOL, handle)


def _retire(regions: tuple[Region, ...]) -> None:
    for region in regions:
        region.live = False
