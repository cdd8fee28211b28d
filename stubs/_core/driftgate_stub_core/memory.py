"""Pretended device memory that is shared with peers: sizes are real, bytes are not."""

from __future__ import annotations

import sys
from itertools import count
from typing import Callable

from driftgate_stub_core.events import emit

GRANULARITY = 2 * 1024 * 1024  # bytes; what cuMemCreate hands out on Hopper and Blackwell
SIGNAL_PAD = 2048  # bytes that SymmDeviceMemory keeps for itself at the end of an allocation
_FIRST_ADDRESS = 1 << 40

_serial = count(1)
_live: set[int] = set()


def live_handles() -> int:
    """How many handles were allocated and not yet freed, by ``destroy`` or by being collected."""
    return len(_live)


def round_up(size: int, to: int) -> int:
    """``size`` raised to a multiple of ``to``."""
    return (size + to - 1) // to * to


class Memory:
    """One handle, and the made-up addresses that it is mapped at."""

    def __init__(self, owner: str, size: int) -> None:
        self.owner = owner
        self.size = size
        self.handle = next(_serial)
        _live.add(self.handle)
        emit("alloc", owner, handle=self.handle, bytes=size)

    @property
    def address(self) -> int:
        """A made-up address that is never null."""
        return _FIRST_ADDRESS + (self.handle << 32)

    def pointers(self, ranks: int) -> list[int]:
        """A made-up address for each of ``ranks`` peers."""
        return [self.address + (rank << 21) for rank in range(ranks)]

    def free(self) -> None:
        """Give the handle back; a second call does nothing."""
        if self.handle in _live:
            _live.remove(self.handle)
            emit("free", self.owner, handle=self.handle, bytes=self.size)

    def __del__(self, is_finalizing: Callable[[], bool] = sys.is_finalizing) -> None:
        if not is_finalizing():
            self.free()
