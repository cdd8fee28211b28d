# Derived by `driftgate stub derive` from a recorded surface; do not edit.

from typing import Any

import driftgate_stub_core as core

SHAPE = core.shape(__file__)


class TorchDistBackend:
    def __init__(self, group: Any | None = None):
        return core.method("TorchDistBackend.__init__", self, locals())

    def Get_rank(self) -> int:
        return core.method("TorchDistBackend.Get_rank", self, locals())

    def Get_size(self) -> int:
        return core.method("TorchDistBackend.Get_size", self, locals())

    def allgather(self, data: Any) -> tuple[Any, ...]:
        return core.method("TorchDistBackend.allgather", self, locals())

    def bcast(self, data: Any, root: int) -> Any:
        return core.method("TorchDistBackend.bcast", self, locals())

    def barrier(self) -> None:
        return core.method("TorchDistBackend.barrier", self, locals())

    def Split(self, color: int, key: int) -> "TorchDistBackend":
        return core.method("TorchDistBackend.Split", self, locals())


class MPIBackend:
    def __init__(self):
        return core.method("MPIBackend.__init__", self, locals())
