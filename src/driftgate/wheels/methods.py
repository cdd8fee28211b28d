# ruff: noqa: ANN401 - methods take and return what the release's do
"""Faults in a workspace's own methods: they are the release's Python, so no seam can have them."""

from __future__ import annotations

import functools
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from driftgate.wheels.machine import Machine

_FAULTS = {"is_buffer_size_sufficient": "size_check_raises", "destroy": "destroy_raises"}
_WORKSPACE = "AllReduceFusionWorkspace"


def arm_methods(machine: Machine) -> None:
    """Let the methods of every loaded workspace class raise while their fault is on."""
    classes = {
        value
        for name, module in list(sys.modules.items())
        if name.startswith("flashinfer.")
        for key, value in list(vars(module).items())
        if isinstance(value, type) and key.endswith(_WORKSPACE)
    }
    for cls in classes:
        for name, fault in _FAULTS.items():
            original = vars(cls).get(name)
            if callable(original) and not getattr(original, "__isabstractmethod__", False):
                setattr(cls, name, _armed(original, fault, machine))


def _armed(original: Any, fault: str, machine: Machine) -> Any:
    """Return ``original`` with the fault; a cached method stays one, cached around the fault."""
    is_cached = hasattr(original, "cache_clear")
    inner: Callable[..., Any] = original.__wrapped__ if is_cached else original

    @functools.wraps(inner)
    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        if machine.has_fault(fault):
            raise RuntimeError(f"the fault {fault!r} is on (pretended)")
        return inner(self, *args, **kwargs)

    return functools.cache(method) if is_cached else method
