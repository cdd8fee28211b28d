"""The decorators that the real releases put on their public functions."""

from __future__ import annotations

from typing import Any, Callable

import typing_extensions


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
