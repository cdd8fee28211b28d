# Derived by `driftgate stub derive` from a recorded surface; do not edit.

import typing
from typing import Any, Protocol

import driftgate_stub_core as core

SHAPE = core.shape(__file__)


@typing.runtime_checkable
class CommBackend(Protocol):
    def Get_rank(self) -> int:
        return core.method("CommBackend.Get_rank", self, locals())

    def Get_size(self) -> int:
        return core.method("CommBackend.Get_size", self, locals())

    def allgather(self, data: Any) -> tuple[Any, ...]:
        return core.method("CommBackend.allgather", self, locals())

    def bcast(self, data: Any, root: int) -> Any:
        return core.method("CommBackend.bcast", self, locals())

    def barrier(self) -> None:
        return core.method("CommBackend.barrier", self, locals())

    def Split(self, color: int, key: int) -> "CommBackend":
        return core.method("CommBackend.Split", self, locals())
