# Derived by `driftgate stub derive` from a recorded surface; do not edit.

import abc
import torch
from abc import ABC
from typing import Any, List, Optional

import driftgate_stub_core as core

SHAPE = core.shape(__file__)


class CommBackend(ABC):
    @abc.abstractmethod
    def Get_rank(self) -> int:
        return core.method("CommBackend.Get_rank", self, locals())

    @abc.abstractmethod
    def Get_size(self) -> int:
        return core.method("CommBackend.Get_size", self, locals())

    @abc.abstractmethod
    def allgather(self, data: int) -> List[int]:
        return core.method("CommBackend.allgather", self, locals())

    @abc.abstractmethod
    def bcast(self, data: Any, root: int) -> Any:
        return core.method("CommBackend.bcast", self, locals())

    @abc.abstractmethod
    def barrier(self) -> None:
        return core.method("CommBackend.barrier", self, locals())

    @abc.abstractmethod
    def Split(self, color: int, key: int) -> "CommBackend":
        return core.method("CommBackend.Split", self, locals())


class TorchDistBackend(CommBackend):
    def __init__(self, group: Optional[Any] = None):
        return core.method("TorchDistBackend.__init__", self, locals())

    def Get_rank(self) -> int:
        return core.method("TorchDistBackend.Get_rank", self, locals())

    def Get_size(self) -> int:
        return core.method("TorchDistBackend.Get_size", self, locals())

    def allgather(self, data: Any) -> List[Any]:
        return core.method("TorchDistBackend.allgather", self, locals())

    def bcast(self, data: Any, root: int) -> Any:
        return core.method("TorchDistBackend.bcast", self, locals())

    def barrier(self) -> None:
        return core.method("TorchDistBackend.barrier", self, locals())

    def Split(self, color: int, key: int) -> "TorchDistBackend":
        return core.method("TorchDistBackend.Split", self, locals())


class MPIBackend(CommBackend):
    def __init__(self):
        return core.method("MPIBackend.__init__", self, locals())


def is_mnnvl_fabric_supported(device_idx: int) -> bool:
    return core.call("is_mnnvl_fabric_supported", SHAPE, locals())


class SymmDeviceMemory:
    def __init__(
        self,
        buf_size: int,
        group_size: int,
        group_rank: int,
        device_idx: int,
        comm_backend_for_handle_transfer: Optional[CommBackend] = None,
        enable_multicast: bool = True,
        allocate_signal_pads: bool = True,
    ):
        return core.method("SymmDeviceMemory.__init__", self, locals())


class McastGPUBuffer:
    def __init__(
        self,
        buf_size: int,
        group_size: int,
        group_rank: int,
        device: torch.device,
        comm_backend_for_handle_transfer: Optional[CommBackend] = None,
    ):
        return core.method("McastGPUBuffer.__init__", self, locals())
