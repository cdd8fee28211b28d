# ruff: noqa: ANN401 - ctypes objects have no better type
"""A null CUDA runtime library for releases that look ``libcudart`` up in the process's maps.

They read ``/proc/self/maps`` for a file of that name and open it with ctypes, many of them at
import. So a file of that name is mapped, and opening it gives :class:`NullLibrary`.
"""

from __future__ import annotations

import ctypes
import mmap
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from driftgate.wheels.machine import Machine

_NAME = "libcudart.so.12"
# A version behind it, a hash before it: what distributors make of the name.
_NAMES = re.compile(r"libcudart(-[0-9a-f]+)?\.so(\.\d+)*")


class _Function:
    """A library function that succeeds; ctypes users set these two attributes."""

    restype: Any = None
    argtypes: Any = None

    def __init__(self, action: Callable[..., Any]) -> None:
        self._action = action

    def __call__(self, *args: Any) -> Any:
        return self._action(*args)


class NullLibrary:
    """``libcudart`` on the pretended device: calls succeed, and allocations get addresses.

    What is allocated here is not counted as a workspace buffer: it is the 20-byte control flag
    of a TRT-LLM workspace, which no release gives back.
    """

    def __init__(self, machine: Machine) -> None:
        self._machine = machine

    def __getattr__(self, name: str) -> _Function:
        if not name.startswith("cuda"):
            raise AttributeError(name)
        action = self._malloc if name == "cudaMalloc" else self._succeed
        function = _Function(action)
        setattr(self, name, function)
        return function

    @staticmethod
    def _succeed(*_: Any) -> int:
        return 0

    def _malloc(self, reference: Any, size: int) -> int:
        reference._obj.value = self._machine.reserve(size).base  # noqa: SLF001 - ctypes.byref
        return 0


class MappedLibrary:
    """Keeps a file named like the library mapped, and opens it as a :class:`NullLibrary`.

    Args:
        folder: A writable folder for the file.
        machine: Where allocations get their addresses.
    """

    def __init__(self, folder: Path, machine: Machine) -> None:
        path = folder / _NAME
        path.write_bytes(b"\0" * mmap.PAGESIZE)
        with path.open("rb") as file:
            self._map = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        self._library = NullLibrary(machine)
        self._open = ctypes.CDLL

    def install(self) -> None:
        """Answer ``ctypes.CDLL`` for this library in this process, and only for it."""

        def open_library(name: Any, *args: Any, **kwargs: Any) -> Any:
            if isinstance(name, str) and _NAMES.fullmatch(Path(name).name):
                return self._library
            return self._open(name, *args, **kwargs)

        vars(ctypes)["CDLL"] = open_library
        # The map lives as long as the answer does.
        vars(open_library)["library"] = self
