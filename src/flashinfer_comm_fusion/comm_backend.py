"""The communication backend that is handed to the upstream for a workspace's rendezvous."""

from __future__ import annotations

import itertools
import pickle
import time
from typing import TYPE_CHECKING, Any, Final, Protocol

import torch.distributed as dist
from torch.distributed.distributed_c10d import PrefixStore

if TYPE_CHECKING:
    from torch.distributed import ProcessGroup
    from torch.distributed.distributed_c10d import Store

    from flashinfer_comm_fusion.consensus import Council

_PAUSE_SECONDS: Final = 0.001


class _Exchange(Protocol):
    """How the ranks of a group hand objects to each other."""

    def allgather(self, data: object) -> list[Any]:
        """What each rank gave, in the group's order."""

    def bcast(self, data: object, root: int) -> Any:  # noqa: ANN401 - it is what root gave
        """What the group's rank ``root`` gave."""

    def barrier(self) -> None:
        """Wait for all ranks."""


class _OverStore:
    """Objects by way of the council's store.

    A rank that gives up leaves no message behind on the engine's groups, and one that waits stops
    waiting when the council is closed.
    """

    def __init__(self, store: Store, group: ProcessGroup, council: Council) -> None:
        self._store = store
        self._rank = dist.get_rank(group)
        self._size = dist.get_world_size(group)
        self._council = council
        self._turns = itertools.count()

    def allgather(self, data: object) -> list[Any]:
        turn = next(self._turns)
        self._give(turn, data)
        return [self._take(turn, rank) for rank in range(self._size)]

    def bcast(self, data: object, root: int) -> Any:  # noqa: ANN401
        turn = next(self._turns)
        if self._rank == root:
            self._give(turn, data)
        return self._take(turn, root)

    def barrier(self) -> None:
        self.allgather(None)

    def _give(self, turn: int, data: object) -> None:
        # It takes bytes as well as text, and gives bytes back.
        self._store.set(f"{turn}/{self._rank}", pickle.dumps(data))  # type: ignore[arg-type]

    def _take(self, turn: int, rank: int) -> Any:  # noqa: ANN401
        key = f"{turn}/{rank}"
        deadline = time.monotonic() + self._council.patience
        while not self._store.check([key]):
            if self._council.is_closed or time.monotonic() > deadline:
                raise TimeoutError(f"rank {rank} of the group sent nothing")
            time.sleep(_PAUSE_SECONDS)
        # The peers are this engine's own ranks; torch's object collectives trust them as well.
        return pickle.loads(self._store.get(key))  # noqa: S301


class _OverGroup:
    """Objects over a process group."""

    def __init__(self, group: ProcessGroup) -> None:
        self._group = group

    def allgather(self, data: object) -> list[Any]:
        gathered: list[Any] = [None] * dist.get_world_size(self._group)
        dist.all_gather_object(gathered, data, group=self._group)
        return gathered

    def bcast(self, data: object, root: int) -> Any:  # noqa: ANN401
        # The root is a rank of the group. Torch wants a global rank, and the upstream's own class
        # did not always translate.
        box = [data]
        source = dist.get_global_rank(self._group, root)
        dist.broadcast_object_list(box, src=source, group=self._group)
        return box[0]

    def barrier(self) -> None:
        dist.barrier(group=self._group)


class _GroupMethods:
    """Rank and size from the device group, every exchange of objects apart from it.

    The device group goes to the base class as its ``group``, because the upstream reads it from
    there to place the symmetric memory. Objects do not go over it: they would be staged through
    GPU memory, and could meet a graph capture.
    """

    _device_group: ProcessGroup
    _exchange: _Exchange

    # The upstream calls these names.
    def Get_rank(self) -> int:  # noqa: N802
        return dist.get_rank(self._device_group)

    def Get_size(self) -> int:  # noqa: N802
        return dist.get_world_size(self._device_group)

    def allgather(self, data: object) -> list[Any]:
        return self._exchange.allgather(data)

    def bcast(self, data: object, root: int) -> Any:  # noqa: ANN401
        return self._exchange.bcast(data, root)

    def barrier(self) -> None:
        self._exchange.barrier()


class _Unrelated(_GroupMethods):
    """For an upstream that has no ``TorchDistBackend`` to derive from."""

    def __init__(self, group: ProcessGroup) -> None:
        self._group = group

    def Split(self, color: int, key: int) -> Any:  # noqa: ANN401, N802
        raise NotImplementedError(
            f"splitting a group (color={color}, key={key}) needs every rank of WORLD"
        )


def make_comm_backend(base: type | None, device_group: ProcessGroup, council: Council) -> Any:  # noqa: ANN401 - its type is made here
    """Build a comm backend for one group.

    Args:
        base: The upstream's ``TorchDistBackend``, which some releases test for by ``isinstance``;
            None where it has none.
        device_group: The group that the kernels reduce over.
        council: The same ranks. Objects go through its store where it has one, else over its CPU
            group, else over ``device_group``.
    """
    derived: Any = (
        _Unrelated
        if base is None
        else type("TorchDistBackendOverTwoGroups", (_GroupMethods, base), {})
    )
    backend = derived(group=device_group)
    backend._device_group = device_group  # noqa: SLF001 - its own class's field
    backend._exchange = _make_exchange(device_group, council)  # noqa: SLF001
    return backend


def _make_exchange(device_group: ProcessGroup, council: Council) -> _Exchange:
    if council.store is None or council.cpu_group is None:
        return _OverGroup(device_group if council.cpu_group is None else council.cpu_group)
    return _OverStore(
        PrefixStore(f"objects/{council.next_exchange()}", council.store),
        device_group,
        council,
    )
