"""The communication backends that workspaces exchange their handles over."""

from __future__ import annotations

from typing import Any

import torch.distributed as dist

from driftgate_stub_core.peers import is_pretended
from driftgate_stub_core.registry import implements
from driftgate_stub_core.shape import Shape


@implements("MPIBackend.__init__")
def _mpi_init(shape: Shape, self: Any) -> None:
    """MPI itself is looked for at first use only."""


@implements("TorchDistBackend.__init__")
def _torch_init(shape: Shape, self: Any, *, group: Any = None) -> None:
    if not dist.is_initialized():
        raise RuntimeError(
            "torch.distributed is not initialized. "
            "Please call torch.distributed.init_process_group() first."
        )
    self._group = group
    self._dist = dist


@implements("TorchDistBackend.Get_rank")
def _torch_rank(shape: Shape, self: Any) -> int:
    return dist.get_rank(self._group)


@implements("TorchDistBackend.Get_size")
def _torch_size(shape: Shape, self: Any) -> int:
    return dist.get_world_size(self._group)


@implements("TorchDistBackend.allgather")
def _torch_allgather(shape: Shape, self: Any, *, data: Any) -> Any:
    if is_pretended(self._group):
        return [data] * self.Get_size()
    parts: list[Any] = [None] * self.Get_size()
    dist.all_gather_object(parts, data, group=self._group)
    return parts


@implements("TorchDistBackend.bcast")
def _torch_bcast(shape: Shape, self: Any, *, data: Any, root: int) -> Any:
    """``root`` is local to the group; shapes with the old mistake take it as a global rank."""
    source = root
    if self._group is not None and shape.behaviour["bcast_root"] == "group":
        source = dist.get_global_rank(self._group, root)
    values = [data]
    dist.broadcast_object_list(values, src=source, group=self._group)
    return values[0]


@implements("TorchDistBackend.barrier")
def _torch_barrier(shape: Shape, self: Any) -> None:
    dist.barrier(group=self._group)
