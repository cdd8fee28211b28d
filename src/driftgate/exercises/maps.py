# ruff: noqa: ANN401 - whatever open and CDLL take and return
"""What a process has mapped, as far as a release can see, and which library it opens."""

from __future__ import annotations

import builtins
import contextlib
import ctypes
import io
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

_MAPS = "/proc/self/maps"
_LINE = "7f0000000000-7f0000001000 r-xp 00000000 08:01 1234 {:>30}\n"


class WrongLibrary:
    """A library that is no CUDA runtime: it exports none of its functions."""

    def __init__(self, path: str) -> None:
        self._path = path

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"{self._path}: undefined symbol: {name}")


@contextlib.contextmanager
def mapped(first: str, *others: str) -> Iterator[None]:
    """Let the process seem to have just these files mapped, in this order.

    The first of them is no CUDA runtime, and opens as a :class:`WrongLibrary`.
    """
    text = "".join(_LINE.format(path) for path in (first, *others))
    real_open, real_library = builtins.open, ctypes.CDLL

    def open_file(file: Any, *args: Any, **kwargs: Any) -> Any:
        return io.StringIO(text) if str(file) == _MAPS else real_open(file, *args, **kwargs)

    def open_library(name: Any, *args: Any, **kwargs: Any) -> Any:
        return WrongLibrary(name) if name == first else real_library(name, *args, **kwargs)

    builtins.open = io.open = open_file
    vars(ctypes)["CDLL"] = open_library
    try:
        yield
    finally:
        builtins.open = io.open = real_open
        if ctypes.CDLL is open_library:  # else whoever pretends the runtime came on top
            vars(ctypes)["CDLL"] = real_library
