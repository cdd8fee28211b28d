# Derived by `driftgate stub derive` from a recorded surface; do not edit.

import abc
import torch
from abc import ABC
from typing import List

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
    def Split(self, color: int, key: int) -> "CommBackend":
        return core.method("CommBackend.Split", self, locals())


if True:
    class MPIBackend(CommBackend):
        def __init__(self):
            return core.method("MPIBackend.__init__", self, locals())


class McastGPUBuffer:
    def __init__(
        self,
        buf_size: int,
        group_size: int,
        group_rank: int,
        device: torch.device,
        mn_nvlink: bool = True,
    ):
        return core.method("McastGPUBuffer.__init__", self, locals())
