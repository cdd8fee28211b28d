# Derived by `driftgate stub derive` from a recorded surface; do not edit.

import torch
from typing import Optional

import driftgate_stub_core as core

from flashinfer.comm.abstractions import CommBackend, CommBackend as CommBackend
from flashinfer.comm.comm_backend import (
    MPIBackend as MPIBackend,
    TorchDistBackend as TorchDistBackend,
)

SHAPE = core.shape(__file__)


def is_mnnvl_fabric_supported(device_idx: int) -> bool:
    return core.call("is_mnnvl_fabric_supported", SHAPE, locals())


def is_multicast_supported(device_idx: int) -> bool:
    return core.call("is_multicast_supported", SHAPE, locals())


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
