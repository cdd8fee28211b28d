"""What the pretended device is, and which faults are on."""

from __future__ import annotations

from dataclasses import dataclass

import torch

FAULTS = frozenset(
    {
        "create_raises",  # a workspace cannot be made
        "create_raises_oom",  # its memory cannot be allocated
        "null_multicast",  # the device says multicast, the pointer is null
        "size_check_raises",  # is_buffer_size_sufficient itself raises
        "kernel_raises",  # work reaches the kernel, which fails
        "destroy_raises",  # a workspace cannot be destroyed
        "fabric_uuid_empty",  # the driver reports a fabric without a cluster UUID
    }
)


@dataclass(frozen=True)
class Settings:
    """The pretended device.

    Attributes:
        sm: Compute capability as an int, 90 for SM90.
        device_count: GPUs on this node.
        multicast: Whether the device supports NVLink multicast.
        faults: Names out of ``FAULTS`` that are on.

    Raises:
        ValueError: A fault has a name that no code looks for.
    """

    sm: int = 90
    device_count: int = 8
    multicast: bool = True
    faults: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        unknown = sorted(self.faults - FAULTS)
        if unknown:
            raise ValueError(f"unknown faults {unknown}; known: {sorted(FAULTS)}")


class _Device:
    settings = Settings()


def configure(settings: Settings) -> None:
    """Pretend to be the device that ``settings`` describes, from now on."""
    _Device.settings = settings


def device() -> Settings:
    """The device that is pretended."""
    return _Device.settings


def fail_if(fault: str, error: type[Exception] = RuntimeError) -> None:
    """Raise ``error`` where ``fault`` is on."""
    if fault in _Device.settings.faults:
        raise error(f"[driftgate stub] the fault {fault!r} is on")


def fail_creation(out_of_memory: type[Exception] = torch.OutOfMemoryError) -> None:
    """Fail as an allocation does: on this rank alone, before its peers are met."""
    fail_if("create_raises")
    fail_if("create_raises_oom", out_of_memory)
