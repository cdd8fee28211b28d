# ruff: noqa: ANN401, D102, N802 - functions have the driver's names, and take its objects
"""A pretended CUDA driver, runtime and NVML, as the modules that a release imports.

The release's own ``SymmDeviceMemory`` runs on top of this: its granularity arithmetic, its
multicast check, its handle exchange over the communicator it was given. Only the calls into
NVIDIA's libraries end here. The pretended GPUs are taken to have fabric handles, because a
POSIX descriptor can only be exchanged with a peer that really exists.
"""

from __future__ import annotations

import ctypes
from enum import IntEnum
from importlib.machinery import ModuleSpec
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from driftgate.wheels.machine import GRANULARITY
from driftgate.wheels.standins import StandInModule

if TYPE_CHECKING:
    from types import ModuleType

    from driftgate.wheels.machine import Machine

_SYMBOL = "cuMemCreate"
_FABRIC_STATE_COMPLETED = 3
_UUID_BYTES = 16


class CUresult(IntEnum):
    """The two outcomes that are pretended."""

    CUDA_SUCCESS = 0
    CUDA_ERROR_OUT_OF_MEMORY = 2


OK = CUresult.CUDA_SUCCESS


class PretendedModule(StandInModule):
    """A module whose named functions answer, and whose other attributes mean nothing."""


class _Struct:
    """Any of the driver's structs: fields appear when they are written or read."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        value = _Struct()
        setattr(self, name, value)
        return value


class _FabricInfo(ctypes.Structure):
    """As in pynvml: an identifier of zeros reads as no bytes at all."""

    _fields_ = (("state", ctypes.c_ubyte), ("clusterUuid", ctypes.c_char * _UUID_BYTES))


class _ConfidentialCompute(ctypes.Structure):
    """All zero: confidential computing is off."""

    _fields_ = (("ccFeature", ctypes.c_uint), ("multiGpuMode", ctypes.c_uint))


class NVMLError(Exception):
    """What NVML raises."""


class NVMLNotSupportedError(NVMLError):
    """The device has no such feature."""


class Driver:
    """The functions of ``cuda.bindings.driver`` that workspaces reach.

    Each returns the tuple that cuda-python returns: the result code, then the values.
    """

    def __init__(self, machine: Machine) -> None:
        self._machine = machine
        self._multicast_objects: set[int] = set()

    def cuGetErrorName(self, error: CUresult) -> tuple[CUresult, str]:
        return OK, error.name

    def cuDeviceGetAttribute(self, attribute: Any, _device: int) -> tuple[CUresult, int]:
        name = str(getattr(attribute, "__name__", attribute))
        if name.endswith("MULTICAST_SUPPORTED"):
            return OK, int(self._machine.device.multicast)
        return OK, 1

    def cuDeviceGet(self, index: int) -> tuple[CUresult, int]:
        return OK, index

    def cuDevicePrimaryCtxRetain(self, _device: int) -> tuple[CUresult, int]:
        return OK, 1

    def cuCtxGetDevice(self) -> tuple[CUresult, int]:
        return OK, 0

    def cuCtxGetCurrent(self) -> tuple[CUresult, int]:
        return OK, 1

    def cuMemGetAllocationGranularity(self, *_: Any) -> tuple[CUresult, int]:
        return OK, GRANULARITY

    def cuMulticastGetGranularity(self, *_: Any) -> tuple[CUresult, int]:
        return OK, GRANULARITY

    def cuMemCreate(self, size: int, *_: Any) -> tuple[CUresult, int]:
        if self._machine.has_fault("create_raises", "create_raises_oom"):
            return CUresult.CUDA_ERROR_OUT_OF_MEMORY, 0
        return OK, self._machine.allocate(_SYMBOL, size)

    def cuMemRelease(self, handle: int) -> tuple[CUresult]:
        self._machine.release(_SYMBOL, handle)
        return (OK,)

    def cuMulticastCreate(self, _prop: Any) -> tuple[CUresult, int]:
        # Objects of their own kind: negative, so that no allocation has the same handle.
        handle = -1 - len(self._multicast_objects)
        self._multicast_objects.add(handle)
        return OK, handle

    def cuMemExportToShareableHandle(self, handle: int, *_: Any) -> tuple[CUresult, Any]:
        return OK, SimpleNamespace(data=f"fabric handle {handle}".encode())

    def cuMemImportFromShareableHandle(self, data: bytes, *_: Any) -> tuple[CUresult, str]:
        return OK, f"imported {data!r}"

    def cuMemAddressReserve(self, size: int, *_: Any) -> tuple[CUresult, int]:
        return OK, self._machine.reserve(size).base

    def cuMemAddressFree(self, address: int, _size: int) -> tuple[CUresult]:
        region = self._machine.region_at(address)
        if region is not None:
            region.live = False
        return (OK,)

    def cuMemAlloc(self, size: int) -> tuple[CUresult, int]:
        return OK, self._machine.reserve(size).base

    def cuMemFree(self, address: int) -> tuple[CUresult]:
        return self.cuMemAddressFree(address, 0)


def _succeed(*_: Any) -> tuple[CUresult]:
    return (OK,)


# Calls whose success is all that matters.
_SILENT = (
    "cuCtxSetCurrent",
    "cuCtxSynchronize",
    "cuMemMap",
    "cuMemUnmap",
    "cuMemSetAccess",
    "cuMemcpyHtoD",
    "cuMemsetD8",
    "cuMemsetD16",
    "cuMemsetD32",
    "cuMulticastAddDevice",
    "cuMulticastBindMem",
    "cuMulticastUnbind",
)
_STRUCTS = ("CUmemAllocationProp", "CUmemLocation", "CUmulticastObjectProp", "CUmemAccessDesc")


def driver_module(machine: Machine) -> ModuleType:
    """``cuda.bindings.driver``."""
    module = PretendedModule("cuda.bindings.driver")
    driver = Driver(machine)
    for name in dir(driver):
        if name.startswith("cu"):
            setattr(module, name, getattr(driver, name))
    for name in _SILENT:
        setattr(module, name, _succeed)
    for name in _STRUCTS:
        setattr(module, name, _Struct)
    vars(module)["CUresult"] = CUresult
    return module


def runtime_module() -> ModuleType:
    """``cuda.bindings.runtime``."""
    module = PretendedModule("cuda.bindings.runtime")
    vars(module).update(cudaSetDevice=_succeed, cudaError_t=type("cudaError_t", (), {}))
    return module


def nvml_module(machine: Machine) -> ModuleType:
    """``pynvml``: a completed fabric with a cluster id, unless the fault empties it."""
    module = PretendedModule("pynvml")

    def fabric_info(_handle: Any, reference: Any) -> None:
        info = reference._obj  # noqa: SLF001 - ctypes.byref gives no other way in
        info.state = _FABRIC_STATE_COMPLETED
        filled = b"\0" if machine.has_fault("fabric_uuid_empty") else b"\1"
        info.clusterUuid = filled * _UUID_BYTES

    vars(module).update(
        NVMLError=NVMLError,
        NVMLError_NotSupported=NVMLNotSupportedError,
        NVMLError_InvalidArgument=NVMLNotSupportedError,
        NVML_CC_SYSTEM_FEATURE_ENABLED=1,
        NVML_CC_SYSTEM_MULTIGPU_PROTECTED_PCIE=1,
        NVML_GPU_FABRIC_STATE_COMPLETED=_FABRIC_STATE_COMPLETED,
        c_nvmlGpuFabricInfoV_t=_FabricInfo,
        nvmlDeviceGetGpuFabricInfoV=fabric_info,
        c_nvmlSystemConfComputeSettings_v1_t=_ConfidentialCompute,
        nvmlSystemGetConfComputeSettings=lambda _reference: 0,
        nvmlSystemGetConfComputeState=_ConfidentialCompute,
    )
    return module


def hardware_modules(machine: Machine) -> dict[str, ModuleType]:
    """Every pretended module by the name it is imported under."""
    modules: dict[str, ModuleType] = {
        "cuda": PretendedModule("cuda"),
        "cuda.bindings": PretendedModule("cuda.bindings"),
        "cuda.bindings.driver": driver_module(machine),
        "cuda.bindings.runtime": runtime_module(),
        "cuda.bindings.nvrtc": PretendedModule("cuda.bindings.nvrtc"),
        "pynvml": nvml_module(machine),
    }
    vars(modules["cuda.bindings.nvrtc"])["nvrtcResult"] = type("nvrtcResult", (), {})
    for name, module in modules.items():
        module.__path__ = []
        module.__spec__ = ModuleSpec(name, None, is_package=True)
        parent, _, child = name.rpartition(".")
        if parent:
            vars(modules[parent])[child] = module
    return modules
