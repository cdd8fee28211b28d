"""The upstream as the child sees it: put on the path, pretended, imported, watched."""

from __future__ import annotations

import contextlib
import importlib
import sys
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from driftgate.cells import Environment
    from driftgate.drive.observe import Observer
    from driftgate.trace import Json

_CORE = "driftgate_stub_core"


class Upstream:
    """The upstream of one cell.

    Args:
        folders: What goes on ``sys.path``; empty for an upstream that is not there.
        observer: Told of every event of the stub core.
    """

    def __init__(self, folders: tuple[str, ...], observer: Observer) -> None:
        self._observer = observer
        sys.path[:0] = folders
        if not folders and find_spec("flashinfer") is not None:
            # A real one is installed: find_spec answers None from here on, and import raises.
            sys.modules["flashinfer"] = None  # type: ignore[assignment]
        self._core: Any = importlib.import_module(_CORE) if folders else None
        if self._core is not None:
            self._core.subscribe(observer.on_core_event)

    def pretend(self, environment: Environment, *, sm: int, nodes: int) -> None:
        """Make the stub core pretend this environment, on a machine of this SM and node count."""
        if self._core is None:
            return
        self._core.configure(
            self._core.Settings(
                sm=sm,
                device_count=environment.world_size // nodes,
                multicast=environment.multicast,
                faults=frozenset(environment.faults),
            )
        )

    def load(self) -> None:
        """Import ``flashinfer.comm``, where it lets itself be imported, and watch it."""
        with contextlib.suppress(Exception):  # shapes that fail to import are part of the tree
            importlib.import_module("flashinfer.comm")
        self._observer.wrap()

    def live_handles(self) -> int:
        """Allocations that were not freed."""
        return int(self._core.live_handles()) if self._core is not None else 0

    def facts(self) -> Json:
        """What a consumer can see of the upstream's watched symbols."""
        return {"signatures": self._observer.signatures, "cached": self._observer.cached}
