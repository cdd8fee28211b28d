"""The decorators that the real releases put on their public functions."""

from __future__ import annotations

import warnings
from typing import Any, Callable

import typing_extensions

from driftgate_stub_core.shape import Shape


def flashinfer_api(function: Callable[..., Any] | None = None, **_options: Any) -> Any:
    """Mark a public function; like the real one with logging off, it adds no wrapper.

    Works bare (``@flashinfer_api``) and called (``@flashinfer_api(trace=...)``).
    """
    if function is None:
        return lambda decorated: decorated
    return function


def deprecated(_message: Any) -> Callable[[Any], Any]:
    """Warn at each call, through the decorator that the releases use.

    Surfaces keep no message, so that derived stubs give ``...`` for one.
    """
    return typing_extensions.deprecated("use the unified API instead")


def warn_if_deprecated(shape: Shape, name: str) -> None:
    """Warn as the shape's function ``name`` does, where the core goes past it.

    The releases' unified API calls functions that they have deprecated.
    """
    message = getattr(shape.find(name), "__deprecated__", None)
    if message is not None:
        warnings.warn(message, DeprecationWarning, stacklevel=3)
