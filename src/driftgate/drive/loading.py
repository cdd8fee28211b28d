# ruff: noqa: ANN401 - a stub's core is a module that is found at run time
"""Put one upstream into this process: a stub and its core, or a release on a pretended machine.

Either way what comes back is the same: switches for what is pretended, and an ear for events.
"""

from __future__ import annotations

import importlib
import sys
from typing import TYPE_CHECKING, Any, Protocol

from driftgate.wheels.load import LoadedRelease, load_release
from driftgate.wheels.machine import Device, Machine
from driftgate.wheels.methods import arm_methods

if TYPE_CHECKING:
    from collections.abc import Callable, Collection
    from pathlib import Path

    from driftgate.wheels.load import RefusedRelease
    from driftgate.wheels.table import SeamTable

    Callback = Callable[[str, str, dict[str, Any]], None]

_CORE = "driftgate_stub_core"


class Controls(Protocol):
    """What an upstream in this process is told, and what it tells."""

    def configure(
        self, *, sm: int, device_count: int, multicast: bool, faults: Collection[str]
    ) -> None:
        """Pretend this device, with these faults, from now on."""

    def subscribe(self, callback: Callback) -> None:
        """Call ``callback(kind, symbol, data)`` for each event from now on."""

    def live_handles(self) -> int:
        """Allocations that were not freed."""


class StubControls:
    """A stub's core."""

    def __init__(self, core: Any) -> None:
        self._core = core

    def configure(
        self, *, sm: int, device_count: int, multicast: bool, faults: Collection[str]
    ) -> None:
        """See :class:`Controls`."""
        self._core.configure(
            self._core.Settings(
                sm=sm, device_count=device_count, multicast=multicast, faults=frozenset(faults)
            )
        )

    def subscribe(self, callback: Callback) -> None:
        """See :class:`Controls`."""
        self._core.subscribe(callback)

    def live_handles(self) -> int:
        """See :class:`Controls`."""
        return int(self._core.live_handles())


class WheelControls:
    """The machine that a release runs on."""

    def __init__(self) -> None:
        self._machine = Machine()

    def load(
        self, folder: Path, version: str, table: SeamTable, scratch: Path
    ) -> LoadedRelease | RefusedRelease:
        """Import a release's ``flashinfer.comm`` and put it on the seams.

        Args:
            folder: Where it is unpacked.
            version: The release.
            table: The rows of ``matrix/seams.toml``.
            scratch: A folder of this process's own, that FlashInfer may write to.

        Raises:
            HarnessError: It cannot be put on the seams.
        """
        release = load_release(folder, version, table, self._machine, scratch)
        if isinstance(release, LoadedRelease):
            arm_methods(self._machine)
        return release

    def configure(
        self, *, sm: int, device_count: int, multicast: bool, faults: Collection[str]
    ) -> None:
        """See :class:`Controls`."""
        self._machine.configure(
            Device(sm=sm, device_count=device_count, multicast=multicast, faults=frozenset(faults))
        )

    def subscribe(self, callback: Callback) -> None:
        """See :class:`Controls`."""
        self._machine.subscribe(callback)

    def live_handles(self) -> int:
        """See :class:`Controls`."""
        return self._machine.live_handles()


def put_stub(folders: Collection[str]) -> StubControls:
    """Put a stub's folders on the path and start its core; ``flashinfer`` is not imported yet.

    Args:
        folders: The shape's folder, and the core's.
    """
    sys.path[:0] = folders
    return StubControls(importlib.import_module(_CORE))
