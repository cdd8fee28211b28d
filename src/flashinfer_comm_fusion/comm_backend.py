"""The communication backend that is handed to the upstream for a workspace's rendezvous."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch.distributed as dist

if TYPE_CHECKING:
    from torch.distributed import ProcessGroup


class _GroupMethods:
    """Rank and size from the device group, every exchange of objects over the CPU group.

    The device group goes to the base class as its ``group``, because the upstream reads it from
    there to place the symmetric memory. Objects go over the CPU group: on the device group they
    would be staged through GPU memory, and could meet a graph capture.
    """

    _device_group: ProcessGroup
    _object_group: ProcessGroup

    # The upstream calls these names.
    def Get_rank(self) -> int:  # noqa: N802
        return dist.get_rank(self._device_group)

    def Get_size(self) -> int:  # noqa: N802
        return dist.get_world_size(self._device_group)

    def allgather(self, data: object) -> list[Any]:
        gathered: list[Any] = [None] * self.Get_size()
        dist.all_gather_object(gathered, data, group=self._object_group)
        return gathered

    def bcast(self, data: object, root: int) -> Any:  # noqa: ANN401 - it is what root sent
        # The root is a rank of the group. Torch wants a global rank, and the upstream's own class
        # did not always translate.
        box = [data]
        source = dist.get_global_rank(self._object_group, root)
        dist.broadcast_object_list(box, src=source, group=self._object_group)
        return box[0]

    def barrier(self) -> None:
        dist.barrier(group=self._object_group)


class _Unrelated(_GroupMethods):
    """For an upstream that has no ``TorchDistBackend`` to derive from."""

    def __init__(self, group: ProcessGroup) -> None:
        self._group = group

    def Split(self, color: int, key: int) -> Any:  # noqa: ANN401, N802
        raise NotImplementedError(
            f"splitting a group (color={color}, key={key}) needs every rank of WORLD"
        )


def make_comm_backend(
    base: type | None, device_group: ProcessGroup, cpu_group: ProcessGroup | None
) -> Any:  # noqa: ANN401 - its type is made here
    """Build a comm backend for one group.

    Args:
        base: The upstream's ``TorchDistBackend``, which some releases test for by ``isinstance``;
            None where it has none.
        device_group: The group that the kernels reduce over.
        cpu_group: The same ranks over a CPU backend; None: objects go over ``device_group``.
    """
    derived: Any = (
        _Unrelated
        if base is None
        else type("TorchDistBackendOverTwoGroups", (_GroupMethods, base), {})
    )
    backend = derived(group=device_group)
    backend._device_group = device_group  # noqa: SLF001 - its own class's field
    backend._object_group = device_group if cpu_group is None else cpu_group  # noqa: SLF001
    return backend
