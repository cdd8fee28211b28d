# Derived by `driftgate stub derive` from a recorded surface; do not edit.

import functools
import torch
from enum import Enum
from typing import Optional

import driftgate_stub_core as core

from flashinfer.comm.abstractions import CommBackend
from flashinfer.comm.mapping import Mapping
from flashinfer.comm.workspace_base import AllReduceFusionWorkspace

SHAPE = core.shape(__file__)


class MNNVLAllreduceFusionStrategy(Enum):
    ONESHOT = 0
    TWOSHOT = 1
    AUTO = 99

    @staticmethod
    def select_strategy(
        tp_size: int,
        num_tokens: int,
        hidden_dim: int,
        dtype: torch.dtype,
    ) -> "MNNVLAllreduceFusionStrategy":
        return core.call("MNNVLAllreduceFusionStrategy.select_strategy", SHAPE, locals())


class MNNVLAllReduceFusionWorkspace(AllReduceFusionWorkspace):
    NUM_LAMPORT_BUFFERS = 3

    def __init__(
        self,
        mapping: Mapping,
        max_num_tokens: Optional[int] = None,
        hidden_dim: Optional[int] = None,
        dtype: Optional[torch.dtype] = None,
        buffer_size_in_bytes: Optional[int] = None,
        comm_backend: Optional[CommBackend] = None,
    ):
        return core.method("MNNVLAllReduceFusionWorkspace.__init__", self, locals())

    @functools.cache
    def is_buffer_size_sufficient(
        self,
        tp_size: int,
        num_tokens: int,
        hidden_dim: int,
        dtype: torch.dtype,
        strategy: MNNVLAllreduceFusionStrategy = MNNVLAllreduceFusionStrategy.AUTO,
    ) -> bool:
        return core.method("MNNVLAllReduceFusionWorkspace.is_buffer_size_sufficient", self, locals())

    @staticmethod
    @functools.cache
    def get_required_buffer_size_bytes(
        tp_size: int,
        num_tokens: int,
        hidden_dim: int,
        dtype: torch.dtype,
        strategy: MNNVLAllreduceFusionStrategy = MNNVLAllreduceFusionStrategy.AUTO,
    ) -> int:
        return core.call("MNNVLAllReduceFusionWorkspace.get_required_buffer_size_bytes", SHAPE, locals())

    @property
    def backend(self) -> str:
        return core.method("MNNVLAllReduceFusionWorkspace.backend", self, locals())

    def destroy(self) -> None:
        return core.method("MNNVLAllReduceFusionWorkspace.destroy", self, locals())


MNNVL_ONE_SHOT_THRESHOLD = 1048576
