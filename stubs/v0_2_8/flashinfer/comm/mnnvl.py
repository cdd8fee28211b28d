# Derived by `driftgate stub derive` from a recorded surface; do not edit.

import torch

import driftgate_stub_core as core

SHAPE = core.shape(__file__)


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
