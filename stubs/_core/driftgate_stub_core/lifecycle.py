"""What every workspace class inherits: creation marks, and the destructor's safety net."""

from __future__ import annotations

import warnings as _warnings
from typing import Any

from driftgate_stub_core.memory import Memory
from driftgate_stub_core.registry import implements, remember
from driftgate_stub_core.settings import fail_if
from driftgate_stub_core.shape import Shape


@implements("AllReduceFusionWorkspace.__init__")
def begin(shape: Shape, self: Any, *, world_size: int, rank: int) -> None:
    """Mark a workspace as alive; subclasses do this before they allocate."""
    remember(self)
    self.world_size = world_size
    self.rank = rank
    self._destroyed = False
    self._memory: list[Memory] = []


def end(self: Any, attributes: tuple[str, ...]) -> None:
    """Destroy a workspace once: drop ``attributes``, free its handles.

    Raises:
        AttributeError: Its creation did not get so far; the releases fail alike.
    """
    if getattr(self, "_destroyed", False):
        return
    fail_if("destroy_raises")
    for name in attributes:
        delattr(self, name)
    for memory in self._memory:
        memory.free()
    self._destroyed = True


@implements("AllReduceFusionWorkspace.__del__")
def _finalise(shape: Shape, self: Any) -> None:
    """Warn, and destroy.

    The import is the releases' own habit up to the one that moved it to module level: at
    interpreter shutdown it raises ``ImportError``, which Python prints.
    """
    if self._destroyed:
        return
    if shape.behaviour["finaliser_imports"]:
        import warnings
    else:
        warnings = _warnings
    warnings.warn(
        f"{type(self).__name__} was not explicitly destroyed. "
        f"Call workspace.destroy() or use AllReduceFusionContext to ensure "
        f"proper cleanup of distributed/CUDA resources.",
        ResourceWarning,
        stacklevel=2,
    )
    try:
        self.destroy()
    except Exception as error:
        warnings.warn(
            f"Error during automatic cleanup of {type(self).__name__}: {error}",
            ResourceWarning,
            stacklevel=2,
        )
