# ruff: noqa: ANN401 - what the driver, torch and sockets take
"""Two servers on one machine, both with the seed that their users gave them, exchange handles."""

from __future__ import annotations

import contextlib
import json
import os
import random
import socket
from typing import TYPE_CHECKING, Any

import torch

from driftgate.drive.fork import in_child
from driftgate.exercises.making import attempt
from driftgate.exercises.record import AbsentError
from driftgate.probes.model import Scene
from driftgate.probes.stage import staged

if TYPE_CHECKING:
    from collections.abc import Iterator

    from driftgate.exercises.release import Release
    from driftgate.trace import Json

LOADS_ITSELF = False

_CLASS = "SymmDeviceMemory"
_BACKEND = "TorchDistBackend"
_SERVERS = 2
_SEED = 7
_LIMIT = 20.0
_BYTES = 1 << 20


def play(release: Release) -> Json:
    """Return the socket addresses that each server bound.

    Raises:
        AbsentError: Handles go another way than over sockets.
    """
    release.get(_CLASS)
    servers = []
    for _ in range(_SERVERS):
        ended = in_child(lambda descriptor: _serve(release, descriptor), _LIMIT)
        servers.append(json.loads(ended.reply))
    if not any(server["bound"] for server in servers):
        raise AbsentError(f"socket to exchange handles over ({servers[0]['text']})")
    return servers


def _serve(release: Release, descriptor: int) -> None:
    """Make memory that is shared by file descriptor, as a server of one rank."""
    random.seed(_SEED)
    torch.manual_seed(_SEED)
    _without_fabric(release)
    with _binding() as bound, staged(Scene(world=1, ranks=(0,)), release.controls):
        comm = release.get(_BACKEND)()
        ended = attempt(lambda: release.get(_CLASS)(_BYTES, 1, 0, 0, comm))
    with os.fdopen(descriptor, "w", encoding="utf-8") as pipe:
        json.dump({"bound": bound, **ended}, pipe)
    os._exit(0)


def _without_fabric(release: Release) -> None:
    """Let the driver have no fabric handles, and export descriptors of an empty file."""
    driver = vars(release.pretended("cuda.bindings.driver"))
    attribute, ok = driver["cuDeviceGetAttribute"], driver["CUresult"].CUDA_SUCCESS

    def answer(name: Any, device: int) -> Any:
        is_fabric = "FABRIC" in str(getattr(name, "__name__", name))
        return (ok, 0) if is_fabric else attribute(name, device)

    driver["cuDeviceGetAttribute"] = answer
    driver["cuMemExportToShareableHandle"] = lambda *_: (ok, os.open(os.devnull, os.O_RDONLY))


@contextlib.contextmanager
def _binding() -> Iterator[list[str]]:
    """Note every address that a socket of this process is bound to."""
    bound: list[str] = []

    class Socket(socket.socket):
        def bind(self, address: Any) -> None:
            if self.family is socket.AF_UNIX:
                bound.append(repr(address))
            super().bind(address)

    original = socket.socket
    socket.socket = Socket  # type: ignore[misc]
    try:
        yield bound
    finally:
        socket.socket = original  # type: ignore[misc]
