"""How each shape allocates memory that peers may map, and what it asks the driver first."""

from __future__ import annotations

import torch

from driftgate_stub_core.memory import GRANULARITY, SIGNAL_PAD, Memory, round_up
from driftgate_stub_core.registry import implements
from driftgate_stub_core.settings import device, fail_creation
from driftgate_stub_core.shape import Shape


@implements("is_multicast_supported")
def is_multicast_supported(shape: Shape, *, device_idx: int) -> bool:
    return device().multicast


@implements("is_mnnvl_fabric_supported")
def is_mnnvl_fabric_supported(shape: Shape, *, device_idx: int) -> bool:
    """Whether the GPU is part of an NVLink fabric.

    Raises:
        IndexError: The driver reports no cluster UUID, and the shape indexes it unchecked.
    """
    uuid = "" if "fabric_uuid_empty" in device().faults else "0123456789abcdef"
    if shape.behaviour["fabric_uuid"] == "indexed":
        return uuid[0] != "\0"
    return bool(uuid)


def allocate(shape: Shape, owner: str, size: int, *, backend: str) -> Memory:
    """Allocate ``size`` bytes that peers may map, as ``shape`` does for ``backend``.

    Raises:
        RuntimeError: The device has no multicast and this allocator insists on it.
        torch.OutOfMemoryError: That fault is on, and it is torch's allocator.
    """
    if backend in shape.behaviour["multicast_required"] and not device().multicast:
        raise RuntimeError("[SymmDeviceMemory] Device does not support multicasting.")
    is_driver = shape.behaviour["allocation"] == "granular"
    fail_creation(out_of_memory=RuntimeError if is_driver else torch.OutOfMemoryError)
    if not is_driver:
        return Memory(owner, size)
    is_mnnvl_fabric_supported(shape, device_idx=0)
    return Memory(owner, round_up(size + SIGNAL_PAD, GRANULARITY))


def usable(shape: Shape, memory: Memory) -> int:
    """The bytes of ``memory`` that the allocator does not keep for its signal pad."""
    exact = shape.behaviour["allocation"] == "exact"
    return memory.size if exact else memory.size - SIGNAL_PAD
