"""What goes wrong on a rank beyond the stub core's own switches; named by a row's id.

Each is brought about in the rank's own process, before the consumer is configured.
"""

from __future__ import annotations

import functools
import os
import signal
import sys
import threading
import time
from importlib.abc import Loader
from importlib.machinery import ModuleSpec
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

_CREATE = "create_allreduce_fusion_workspace"
_SLOW_SECONDS = 1.0


def bring_about(name: str) -> None:
    """Bring the trouble about, where it is not a switch of the stub core."""
    if name in _TROUBLES:
        _TROUBLES[name]()


def _import_fails() -> None:
    for name in [name for name in sys.modules if name.partition(".")[0] == "flashinfer"]:
        del sys.modules[name]
    sys.meta_path.insert(0, _Broken())


class _Broken(Loader):
    """Finds ``flashinfer``, and fails to load it as a broken binary does."""

    def find_spec(self, name: str, *_: object) -> ModuleSpec | None:
        return ModuleSpec(name, self) if name.partition(".")[0] == "flashinfer" else None

    def create_module(self, _: ModuleSpec) -> None:
        raise ImportError("libtvm_ffi.so: undefined symbol")


class _UnreadableError(RuntimeError):
    """What a signature raises that was never meant to be read."""


class _Unreadable:
    """A callable whose signature raises, and which takes nothing."""

    @property
    def __signature__(self) -> object:
        raise _UnreadableError

    def __call__(self, *_: object, **__: object) -> object:
        raise TypeError("it takes none of these")


def _probe_raises() -> None:
    _replace_create(lambda _: _Unreadable())


def _create_returns_none() -> None:
    _replace_create(lambda original: _instead(original, lambda: None))


def _create_hangs() -> None:
    _replace_create(lambda original: _instead(original, threading.Event().wait))


def _killed_in_creation() -> None:
    _replace_create(lambda original: _instead(original, _die))


def _replace_create(make: Callable[[Callable[..., Any]], object]) -> None:
    # Shapes that never had it keep to that.
    for name, module in list(sys.modules.items()):
        if name.partition(".")[0] == "flashinfer" and _CREATE in vars(module):
            setattr(module, _CREATE, make(vars(module)[_CREATE]))


def _instead(original: Callable[..., Any], act: Callable[[], object]) -> Callable[..., Any]:
    @functools.wraps(original)
    def replaced(*_: object, **__: object) -> object:
        return act()

    return replaced


def _die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def _late() -> None:
    time.sleep(_SLOW_SECONDS)


def _slow_in_creation() -> None:
    def slow(create: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(create)
        def slowed(*args: object, **kwargs: object) -> object:
            time.sleep(_SLOW_SECONDS)
            return create(*args, **kwargs)

        return slowed

    _replace_create(slow)


_TROUBLES = {
    "create_hangs": _create_hangs,
    "create_returns_none": _create_returns_none,
    "import_fails": _import_fails,
    "killed_before_the_vote": _die,
    "killed_in_creation": _killed_in_creation,
    "late": _late,
    "probe_raises": _probe_raises,
    "slow_in_creation": _slow_in_creation,
}
