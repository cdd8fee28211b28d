# ruff: noqa: N802 - NVIDIA's names
"""The few calls of NVIDIA's driver bindings with which an engine tries whether memory is left."""

from __future__ import annotations

from enum import Enum
from types import SimpleNamespace
from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from collections.abc import Callable

_GRANULARITY = 2 << 20


class _Result(Enum):
    CUDA_SUCCESS = 0
    CUDA_ERROR_OUT_OF_MEMORY = 2
    CUDA_ERROR_NOT_SUPPORTED = 801


class _HandleType(Enum):
    CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR = 1
    CU_MEM_HANDLE_TYPE_FABRIC = 8


class _AllocationType(Enum):
    CU_MEM_ALLOCATION_TYPE_PINNED = 1


class _LocationType(Enum):
    CU_MEM_LOCATION_TYPE_DEVICE = 1


class _AllocationGranularity(Enum):
    CU_MEM_ALLOC_GRANULARITY_RECOMMENDED = 1


class _MulticastGranularity(Enum):
    CU_MULTICAST_GRANULARITY_RECOMMENDED = 1


class _AllocationProp(SimpleNamespace):
    """A struct of whose members one is a struct."""

    def __init__(self) -> None:
        super().__init__(allocFlags=SimpleNamespace())


class PretendedCudaDriver:
    """A device with memory to spare, or with none: what it allocates is nothing.

    Args:
        full: Every allocation fails.
        multicast: Whether the device supports NVLink multicast.
    """

    def __init__(self, *, full: bool = False, multicast: bool = True) -> None:
        self._full = full
        self._multicast = multicast

    CUresult = _Result
    CUmemAllocationHandleType = _HandleType
    CUmemAllocationType = _AllocationType
    CUmemLocationType = _LocationType
    CUmemAllocationGranularity_flags = _AllocationGranularity
    CUmulticastGranularity_flags = _MulticastGranularity
    CUmemAllocationProp: ClassVar[Callable[[], SimpleNamespace]] = _AllocationProp
    CUmemLocation: ClassVar[Callable[[], SimpleNamespace]] = SimpleNamespace
    CUmulticastObjectProp: ClassVar[Callable[[], SimpleNamespace]] = SimpleNamespace

    def cuMemGetAllocationGranularity(self, _prop: object, _flags: object) -> tuple[_Result, int]:
        """Return the granularity of an allocation, in bytes."""
        return _Result.CUDA_SUCCESS, _GRANULARITY

    def cuMulticastGetGranularity(self, _prop: object, _flags: object) -> tuple[_Result, int]:
        """Return the granularity of a multicast object, in bytes."""
        if not self._multicast:
            return _Result.CUDA_ERROR_NOT_SUPPORTED, 0
        return _Result.CUDA_SUCCESS, _GRANULARITY

    def cuMemCreate(self, _size: int, _prop: object, _flags: int) -> tuple[_Result, int]:
        """Return a handle."""
        if self._full:
            return _Result.CUDA_ERROR_OUT_OF_MEMORY, 0
        return _Result.CUDA_SUCCESS, 1

    def cuMemRelease(self, _handle: int) -> tuple[_Result]:
        """Take a handle back."""
        return (_Result.CUDA_SUCCESS,)
