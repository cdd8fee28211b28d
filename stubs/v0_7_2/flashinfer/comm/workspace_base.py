# Derived by `driftgate stub derive` from a recorded surface; do not edit.

import abc
import torch
from abc import ABC
from typing import Any, Optional

import driftgate_stub_core as core

SHAPE = core.shape(__file__)


class AllReduceFusionWorkspace(ABC):
    def __init__(self, world_size: int, rank: int):
        return core.method("AllReduceFusionWorkspace.__init__", self, locals())

    @property
    @abc.abstractmethod
    def backend(self) -> str:
        return core.method("AllReduceFusionWorkspace.backend", self, locals())

    @abc.abstractmethod
    def destroy(self) -> None:
        return core.method("AllReduceFusionWorkspace.destroy", self, locals())

    @abc.abstractmethod
    def is_buffer_size_sufficient(
        self,
        tp_size: int,
        num_tokens: int,
        hidden_dim: int,
        dtype: torch.dtype,
        use_oneshot: Optional[Any] = None,
    ) -> bool:
        return core.method("AllReduceFusionWorkspace.is_buffer_size_sufficient", self, locals())

    def __del__(self):
        return core.method("AllReduceFusionWorkspace.__del__", self, locals())
