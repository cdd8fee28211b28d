# ruff: noqa: ANN401 - the release's own objects
"""The release that an exercise uses, in this process, on a pretended machine."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from driftgate.drive.loading import WheelControls
from driftgate.exercises.record import AbsentError
from driftgate.wheels.load import RefusedRelease
from driftgate.wheels.table import read_seam_table

if TYPE_CHECKING:
    from types import ModuleType

    from driftgate.probes.subject import Subject

_COMM = "flashinfer.comm"


class Release:
    """One release, or one tree that holds the package.

    Args:
        subject: Which.
        seams: ``matrix/seams.toml``.
        scratch: A folder of this process's own.

    Attributes:
        controls: What its machine pretends, and what it tells.
        scratch: As given.
    """

    def __init__(self, subject: Subject, seams: Path, scratch: Path) -> None:
        self._subject = subject
        self._seams = seams
        self.scratch = scratch
        self.controls = WheelControls()

    def load(self) -> str:
        """Import its ``flashinfer.comm``; return why that cannot be, or nothing."""
        folder, version = Path(self._subject.folders[0]), self._subject.version
        table = read_seam_table(self._seams)
        loaded = self.controls.load(folder, version, table, self.scratch)
        return str(loaded) if isinstance(loaded, RefusedRelease) else ""

    @property
    def comm(self) -> Any:
        """Its ``flashinfer.comm``."""
        return sys.modules[_COMM]

    def home(self, name: str) -> Any:
        """Return the module in ``flashinfer.comm`` that defines ``name``, wherever it lives today.

        Raises:
            AbsentError: None does.
        """
        modules = [
            module
            for key, module in sorted(sys.modules.items())
            if (key == _COMM or key.startswith(f"{_COMM}.")) and hasattr(module, name)
        ]
        if not modules:
            raise AbsentError(name)
        defined = getattr(getattr(modules[0], name), "__module__", "")
        return sys.modules.get(defined, modules[0])

    def get(self, name: str) -> Any:
        """Return what ``name`` is, wherever it lives in ``flashinfer.comm``.

        Raises:
            AbsentError: It lives nowhere.
        """
        return getattr(self.home(name), name)

    @staticmethod
    def pretended(name: str) -> ModuleType:
        """A pretended module: ``pynvml``, ``cuda.bindings.driver``."""
        return importlib.import_module(name)
