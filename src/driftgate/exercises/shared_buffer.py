# ruff: noqa: ANN401 - the runtime's functions take pointers of ctypes
"""Share a buffer over CUDA's IPC with a peer, and free it."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any

import torch.distributed as dist

from driftgate.exercises.making import attempt
from driftgate.probes.model import Scene
from driftgate.probes.stage import staged

if TYPE_CHECKING:
    from driftgate.exercises.release import Release
    from driftgate.trace import Json

LOADS_ITSELF = False

_SHARE, _FREE = "create_shared_buffer", "free_shared_buffer"
_RANKS = 2
_BYTES = 1 << 20
_OWN, _PEERS = 0x1000, 0x2000


class _Runtime:
    """A CUDA runtime that writes down what becomes of pointers."""

    def __init__(self) -> None:
        self.calls: list[str] = []

    def cudaMalloc(self, _size: int) -> ctypes.c_void_p:  # noqa: N802 - NVIDIA's name
        return ctypes.c_void_p(_OWN)

    def cudaIpcOpenMemHandle(self, _handle: Any) -> ctypes.c_void_p:  # noqa: N802
        return ctypes.c_void_p(_PEERS)

    def __getattr__(self, name: str) -> Any:
        def call(*args: Any) -> Any:
            self.calls.append(f"{name} {self._whose(args)}".strip())
            return b""

        return call

    @staticmethod
    def _whose(args: Any) -> str:
        addresses = {getattr(each, "value", each) for each in args if not isinstance(each, bytes)}
        return "own" if _OWN in addresses else "peer" if _PEERS in addresses else ""


def play(release: Release) -> Json:
    """Return what was done to the own buffer and to the peer's, from the freeing on."""
    home = release.home(_SHARE)
    runtime = _Runtime()
    vars(home)["cudart"] = runtime
    with staged(Scene(world=_RANKS, ranks=(0, 1)), release.controls):
        vars(dist)["all_gather_object"] = _answer_alike
        vars(dist)["broadcast_object_list"] = lambda *_, **__: None
        pointers = getattr(home, _SHARE)(_BYTES, dist.group.WORLD)
        runtime.calls.clear()
        ended = attempt(lambda: getattr(home, _FREE)(pointers, dist.group.WORLD))
    return {**ended, "calls": runtime.calls}


def _answer_alike(answers: list[Any], own: Any, **_: Any) -> None:
    """Let every peer say what this rank says."""
    answers[:] = [own] * len(answers)
