# ruff: noqa: ANN401 - the upstream's own objects go in and come out
"""Probe values made real in one upstream, and what came back made plain."""

from __future__ import annotations

import inspect
import re
from enum import Enum
from typing import TYPE_CHECKING, Any

import torch
import torch.distributed as dist

from driftgate.probes.model import DType, Ref, Strategy, Tensor

if TYPE_CHECKING:
    from collections.abc import Mapping

    from driftgate.probes.model import Scene
    from driftgate.trace import Json

# Addresses and handles are any numbers.
_ADDRESS = re.compile(r"0x[0-9a-f]+|\b\d{9,}\b")
_ADDRESSES = 1 << 40  # from here on an integer is one


class Values:
    """Makes real what a probe of one scene names.

    Args:
        comm: The upstream's ``flashinfer.comm``.
        scene: The scene, whose process group is initialised by now.
    """

    def __init__(self, comm: Any, scene: Scene) -> None:
        self._comm = comm
        self._scene = scene
        whole = scene.world == len(scene.ranks)
        self._group: Any = None
        if scene.world:
            self._group = dist.group.WORLD if whole else dist.new_group(list(scene.ranks))
        create = getattr(comm, "create_allreduce_fusion_workspace", None)
        self._takes_group = create is not None and "group" in inspect.signature(create).parameters

    def make(self, value: Any, workspace: Any) -> Any:
        """Return the real thing that ``value`` stands for."""
        if isinstance(value, Ref):
            return self._refer(value, workspace)
        if isinstance(value, Tensor):
            return _tensor(value)
        if isinstance(value, DType):
            return getattr(torch, value.name)
        if isinstance(value, Strategy):
            return self._comm.trtllm_mnnvl_ar.MNNVLAllreduceFusionStrategy[value.name]
        return value

    def make_all(self, kwargs: Mapping[str, Any], workspace: Any) -> dict[str, Any]:
        """Return real keyword arguments."""
        return {
            name: self.make(value, workspace)
            for name, value in kwargs.items()
            if value is not Ref.GROUP_WHERE_TAKEN or self._takes_group
        }

    def torch_dist_backend(self) -> Any:
        """The upstream's ``TorchDistBackend``, over the scene's group."""
        return self._comm.mnnvl.TorchDistBackend(group=self._group)

    def _refer(self, ref: Ref, workspace: Any) -> Any:
        if ref is Ref.WORKSPACE:
            return workspace
        if ref is Ref.COMM:
            return self.torch_dist_backend()
        if ref is Ref.COMM_WORLD:
            return self._comm.mnnvl.TorchDistBackend()
        if ref is Ref.FOREIGN_COMM:
            return ForeignComm(self._group)
        return object() if ref is Ref.NO_WORKSPACE else self._group


class ForeignComm:
    """A communicator that is no ``TorchDistBackend``, over a process group, for one process."""

    def __init__(self, group: Any) -> None:
        self.process_group = group

    def Get_rank(self) -> int:  # noqa: D102, N802 - the upstream's names
        return dist.get_rank(self.process_group)

    def Get_size(self) -> int:  # noqa: D102, N802
        return dist.get_world_size(self.process_group)

    def allgather(self, data: Any) -> list[Any]:  # noqa: D102
        return [data] * self.Get_size()

    def bcast(self, data: Any, root: int) -> Any:  # noqa: ARG002, D102
        return data

    def barrier(self) -> None:  # noqa: D102
        pass


def _tensor(value: Tensor) -> torch.Tensor:
    shape = (*value.shape[:-1], 2 * value.shape[-1]) if value.strided else value.shape
    count = 1
    for size in shape:
        count *= size
    # Sums over up to 64 ranks stay exact in bfloat16.
    flat = (torch.arange(count, dtype=torch.int32) % 13 - 6) / 8
    tensor = flat.to(getattr(torch, value.dtype)).reshape(shape)
    return tensor[..., : value.shape[-1]] if value.strided else tensor


def plain(value: Any, given: Mapping[str, Any]) -> Json:
    """Return what came back as a plain value.

    Args:
        value: What came back.
        given: The call's arguments: a tensor that is one of them is told by its name.
    """
    match value:
        case torch.Tensor():
            name = next((name for name, each in given.items() if each is value), "new")
            said: Json = f"{name}: {digest(value)}"
        case Enum():
            said = f"{type(value).__name__}.{value.name}"
        case dict():
            said = {str(key): plain(item, given) for key, item in sorted(value.items())}
        case list() | tuple():
            said = [plain(item, given) for item in value]
        case int() if value >= _ADDRESSES:
            said = "an address"
        case None | bool() | int() | float() | str():
            said = value
        case _:
            said = _describe(value)
    return said


def _describe(value: Any) -> Json:
    """A workspace by its class, backend and size; nothing is said of other objects."""
    if "Workspace" not in type(value).__name__:
        return "an object"
    described: dict[str, Json] = {"type": type(value).__name__}
    for name in ("backend", "buffer_size_bytes", "metadata"):
        item = getattr(value, name, None)
        if item is not None:
            described[name] = plain(item, {})
    return described


def digest(tensor: torch.Tensor) -> str:
    """Shape, dtype, and of floating point numbers the mean size to three digits."""
    shape = "x".join(map(str, tensor.shape))
    kind = f"[{shape} {str(tensor.dtype).removeprefix('torch.')}]"
    if not tensor.is_floating_point() or not tensor.numel():
        return kind
    return f"{kind} {float(tensor.double().abs().mean()):.3g}"


def without_addresses(text: str) -> str:
    """Put ``#`` for what is a matter of chance in a line of output."""
    return _ADDRESS.sub("#", text)
