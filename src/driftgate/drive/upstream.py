"""The upstream as the child sees it: put on the path, pretended, imported, watched."""

from __future__ import annotations

import contextlib
import importlib
import os
import shutil
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from driftgate.drive.loading import WheelControls, put_stub
from driftgate.errors import DriftgateError
from driftgate.wheels.load import RefusedRelease, damage_of_comm
from driftgate.wheels.table import read_seam_table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from driftgate.cells import Environment
    from driftgate.drive.job import Release
    from driftgate.drive.loading import Controls
    from driftgate.drive.observe import Observer
    from driftgate.trace import Json


class Upstream:
    """The upstream of one cell.

    Args:
        folders: What goes on ``sys.path``; empty for an upstream that is not there.
        observer: Told of every event of the stub core, or of the seams.
        release: What is in the folder, where that is a real release.
    """

    def __init__(
        self, folders: tuple[str, ...], observer: Observer, release: Release | None = None
    ) -> None:
        self._observer = observer
        self._folders = folders
        self._release = release
        self._standins: tuple[str, ...] = ()
        self._refused = ""
        if not folders and find_spec("flashinfer") is not None:
            # A real one is installed: find_spec answers None from here on, and import raises.
            sys.modules["flashinfer"] = None  # type: ignore[assignment]
        self._wheel = WheelControls() if release is not None else None
        self._controls: Controls | None = self._wheel
        if folders and release is None:
            self._controls = put_stub(folders)
        self.subscribe(observer.on_core_event)

    def subscribe(self, callback: Callable[[str, str, dict[str, Json]], None]) -> None:
        """Call ``callback(kind, symbol, data)`` for each event of the stub core from now on."""
        if self._controls is not None:
            self._controls.subscribe(callback)

    def pretend(self, environment: Environment, *, sm: int, nodes: int) -> None:
        """Pretend this environment, on a machine of this SM and node count."""
        if self._controls is not None:
            self._controls.configure(
                sm=sm,
                device_count=environment.world_size // nodes,
                multicast=environment.multicast,
                faults=environment.faults,
            )

    def load(self, scratch: Path | None = None) -> None:
        """Import ``flashinfer.comm``, where it lets itself be imported, and watch it.

        Args:
            scratch: A folder of this process's own; a real release writes to it.

        Raises:
            HarnessError: A release cannot be put on the seams.
        """
        if self._wheel is not None and self._release is not None and scratch is not None:
            table = read_seam_table(Path(self._release.seams))
            folder = Path(self._folders[0])
            loaded = self._wheel.load(folder, self._release.version, table, scratch)
            self._standins = loaded.standins
            self._refused = str(loaded) if isinstance(loaded, RefusedRelease) else ""
        else:
            try:
                importlib.import_module("flashinfer.comm")
            except (Exception, SystemExit) as error:  # noqa: BLE001 - shapes that raise are part of the tree
                self._refused = f"{type(error).__name__}: {error}"
        self._observer.wrap()

    def live_handles(self) -> int:
        """Allocations that were not freed."""
        return self._controls.live_handles() if self._controls is not None else 0

    def facts(self) -> Json:
        """What a consumer can see of the upstream's watched symbols, and how it was imported."""
        return {
            "signatures": self._observer.signatures,
            "cached": self._observer.cached,
            "refused": self._refused,
            "standins": list(self._standins),
        }


def read_ahead(release: Release, folder: Path) -> None:
    """Read what is read before a release is loaded, once for all children forked from here."""
    with contextlib.suppress(DriftgateError):  # it is raised again where it is told
        read_seam_table(Path(release.seams))
        damage_of_comm(folder)


@contextlib.contextmanager
def scratch_folder() -> Iterator[Path]:
    """Make a folder for this process, not to be removed by a fork of it that ends first."""
    folder, owner = tempfile.mkdtemp(prefix="driftgate-"), os.getpid()
    try:
        yield Path(folder)
    finally:
        if os.getpid() == owner:
            shutil.rmtree(folder, ignore_errors=True)
