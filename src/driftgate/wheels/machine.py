"""The pretended machine: its device, its memory, and the events it emits.

Nothing is stored in pretended memory. It knows which address belongs to which allocation, over
which peers that allocation was shared, and whether it was released.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from torch import Tensor
    from torch.distributed import ProcessGroup

    Callback = Callable[[str, str, dict[str, Any]], None]

# The driver's granularity for shareable and for multicast memory on the data-centre GPUs that
# have NVLink multicast.
GRANULARITY = 2 << 20
_FIRST_ADDRESS = 1 << 40

#: Faults that can be switched on at these seams; a size check is the release's own Python.
FAULTS = frozenset(
    {"create_raises", "create_raises_oom", "fabric_uuid_empty", "kernel_raises", "null_multicast"}
)


@dataclass(frozen=True)
class Device:
    """What the pretended device is, and which faults are on.

    Attributes:
        sm: Compute capability as an int, 90 for SM90.
        device_count: GPUs that this process can see.
        multicast: Whether NVLink multicast is supported.
        faults: A subset of :data:`FAULTS`.
    """

    sm: int = 90
    device_count: int = 8
    multicast: bool = True
    faults: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Peers:
    """The ranks that one allocation was shared with.

    Attributes:
        ranks: Global ranks, in the order of the rendezvous.
        over: How they met: ``group``, ``world``, ``comm_backend`` or ``mpi``.
        group: The process group, where there is one.
        allgather: Collects one value from each peer, where there is no process group.
    """

    ranks: tuple[int, ...]
    over: str
    group: ProcessGroup | None = None
    allgather: Callable[[Any], Sequence[Any]] | None = None

    def sum(self, tensor: Tensor) -> Tensor:
        """Sum ``tensor`` over the peers, in float32.

        torch's ``fake`` process group has one process: each peer is taken to hold the same
        tensor, so a missing, doubled or wrong-group reduction shows in the factor.
        """
        import torch  # noqa: PLC0415 - not where only the settings are read
        import torch.distributed as dist  # noqa: PLC0415

        total = tensor.detach().float().clone()
        if self.group is not None:
            if dist.get_backend(self.group) == "fake":
                return total * len(self.ranks)
            dist.all_reduce(total, group=self.group)
            return total
        if self.allgather is None:
            return total
        parts: list[Tensor] = list(self.allgather(total))
        return torch.stack(parts).sum(dim=0)


@dataclass
class Region:
    """A range of pretended addresses.

    Attributes:
        base: First address.
        size: Bytes.
        stride: Bytes between one peer's part and the next; ``size`` where there is one part.
        peers: Whom it is shared with; None while it is not.
        live: Whether it may still be used.
    """

    base: int
    size: int
    stride: int
    peers: Peers | None = None
    live: bool = True

    def peer_of(self, address: int) -> int:
        """Index of the peer whose part ``address`` lies in."""
        return (address - self.base) // self.stride


class Machine:
    """A pretended device with memory; it can be told to pretend another device at any time.

    ``configure``, ``subscribe`` and ``live_handles`` are those of the stub core, so that whoever
    drives a stub can drive a release.

    Args:
        device: What to pretend.
    """

    def __init__(self, device: Device | None = None) -> None:
        self.device = device or Device()
        self._listeners: list[Callback] = []
        self._regions: list[Region] = []
        self._allocations: dict[int, int] = {}
        self._next_address = _FIRST_ADDRESS
        self._next_handle = 1

    def configure(self, device: Device) -> None:
        """Pretend ``device`` from now on."""
        self.device = device

    def subscribe(self, callback: Callback) -> None:
        """Call ``callback(kind, symbol, data)`` for each event from now on.

        Kinds are ``kernel``, ``kernel-refused``, ``rendezvous``, ``alloc`` and ``free``; ``data``
        is JSON-able.
        """
        self._listeners.append(callback)

    def emit(self, kind: str, symbol: str, **data: Any) -> None:  # noqa: ANN401 - JSON
        """Tell all listeners."""
        for listener in self._listeners:
            listener(kind, symbol, data)

    def has_fault(self, *names: str) -> bool:
        """Whether any of these faults is on."""
        return not self.device.faults.isdisjoint(names)

    def reserve(self, size: int, stride: int | None = None) -> Region:
        """Reserve ``size`` bytes of addresses."""
        region = Region(self._next_address, size, stride or max(size, 1))
        self._next_address += -(-max(size, 1) // GRANULARITY) * GRANULARITY
        self._regions.append(region)
        return region

    def region_at(self, address: int) -> Region | None:
        """The region that ``address`` lies in, released ones included."""
        for region in reversed(self._regions):
            if region.base <= address < region.base + region.size:
                return region
        return None

    def allocate(self, symbol: str, size: int) -> int:
        """Count ``size`` bytes as allocated; return the allocation's handle."""
        handle = self._next_handle
        self._next_handle += 1
        self._allocations[handle] = size
        self.emit("alloc", symbol, handle=handle, bytes=size)
        return handle

    def release(self, symbol: str, handle: int) -> None:
        """Count an allocation as freed; unknown handles (a peer's) are ignored."""
        size = self._allocations.pop(handle, None)
        if size is not None:
            self.emit("free", symbol, handle=handle, bytes=size)

    def live_handles(self) -> int:
        """Allocations that were not released."""
        return len(self._allocations)
