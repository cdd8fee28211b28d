"""Tells whoever listens what reached the kernels, the allocator and the peers."""

from __future__ import annotations

from typing import Any, Callable

Callback = Callable[[str, str, dict[str, Any]], None]

_listeners: list[Callback] = []


def subscribe(callback: Callback) -> None:
    """Call ``callback(kind, symbol, data)`` for each event from now on.

    Kinds are ``kernel``, ``meeting`` (a rendezvous begins), ``rendezvous``, ``alloc`` and ``free``; ``data`` is plain and JSON-able.
    """
    _listeners.append(callback)


def emit(kind: str, symbol: str, **data: Any) -> None:
    """Tell all listeners; they hold no reference to anything but ``data``."""
    for listener in _listeners:
        listener(kind, symbol, data)
