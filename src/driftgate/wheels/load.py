"""Import one release's real ``flashinfer.comm`` into this process, on a CPU.

Call it in a child forked from a process that has torch loaded; a process holds one release.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import platform
import sys
import traceback
from dataclasses import dataclass
from functools import cache
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

from driftgate.errors import HarnessError
from driftgate.wheels.cudart import MappedLibrary
from driftgate.wheels.driver import hardware_modules
from driftgate.wheels.errors import DamagedEntryError
from driftgate.wheels.record import damaged_file
from driftgate.wheels.seams import apply_seams
from driftgate.wheels.standins import StandIns, forget

if TYPE_CHECKING:
    from driftgate.wheels.machine import Machine
    from driftgate.wheels.table import SeamTable

_PACKAGE = "flashinfer"
_COMM = "flashinfer.comm"
_WORKSPACE_BASE = "FLASHINFER_WORKSPACE_BASE"


@dataclass(frozen=True)
class LoadedRelease:
    """A release whose ``flashinfer.comm`` is imported and stands on the seams.

    Attributes:
        version: The release.
        folder: Where it is unpacked.
        standins: Modules that were stood in for because they are not installed.
        seams: Ids of the seams in use.
    """

    version: str
    folder: Path
    standins: tuple[str, ...]
    seams: tuple[str, ...]


@dataclass(frozen=True)
class RefusedRelease:
    """A release that cannot be imported by this interpreter: a finding of its own.

    Attributes:
        version: The release.
        folder: Where it is unpacked.
        standins: Modules that were stood in for until then.
        error: Type name of the exception.
        text: Its text.
        where: ``file:line`` in the release that raised it.
        python: The interpreter's version.
    """

    version: str
    folder: Path
    standins: tuple[str, ...]
    error: str
    text: str
    where: str
    python: str

    def __str__(self) -> str:
        problem = f"{self.error}: {self.text}"
        return f"Python {self.python} cannot import it ({problem}, in {self.where})"


class WrongFolderError(HarnessError):
    """``flashinfer.comm`` came from elsewhere than the release's folder.

    Attributes:
        expected: The folder meant.
        got: The module's file.
    """

    def __init__(self, expected: Path, got: str) -> None:
        self.expected = expected
        self.got = got
        super().__init__(
            f"flashinfer.comm was imported from {got}, not from {expected}; "
            "load a release in a fresh process"
        )


def load_release(
    folder: Path,
    version: str,
    table: SeamTable,
    machine: Machine,
    scratch: Path,
) -> LoadedRelease | RefusedRelease:
    """Import the release unpacked at ``folder`` and put it on the seams.

    ``flashinfer/__init__`` does not run: the package is seeded with its path and version, which
    gives the same ``flashinfer.comm`` at a fifth of the cost. The release is never patched to
    make it importable.

    Args:
        folder: Holds the ``flashinfer`` package.
        version: The release; empty for a tree that is none, and has no RECORD to be held to.
        table: The rows of ``matrix/seams.toml``.
        machine: What it is to run on.
        scratch: A folder of this process's own, that FlashInfer may write to.

    Raises:
        DamagedEntryError: What is unpacked there is not what the wheel holds.
        WrongFolderError: Another ``flashinfer`` got in the way.
        SeamMissingError: A seam's row claims this release wrongly.
    """
    _require(damage_of_comm(folder) if version else "", version)
    os.environ[_WORKSPACE_BASE] = str(scratch)
    _seed_package(folder, version)
    sys.modules.update(hardware_modules(machine))
    MappedLibrary(scratch, machine).install()
    try:
        with StandIns(table.packages).answering():
            comm = importlib.import_module(_COMM)
    except (Exception, SystemExit) as error:  # noqa: BLE001 - whatever the release raises is the finding
        # All of it takes a second: only where there is a doubt.
        _require(damaged_file(folder) if version else "", version)
        return RefusedRelease(
            version=version,
            folder=folder,
            standins=StandIns.used(),
            error=type(error).__name__,
            text=str(error),
            where=_raised_at(error, folder),
            python=platform.python_version(),
        )
    _require_folder(comm, folder)
    standins = StandIns.used()
    forget(table.only_while_importing)
    seams = apply_seams(version, table, machine)
    return LoadedRelease(version, folder, standins, seams)


@cache
def damage_of_comm(folder: Path) -> str:
    """Return the first damaged file of ``flashinfer.comm``, or empty.

    A process that asks before it forks has looked for all of its children.
    """
    return damaged_file(folder, _COMM.replace(".", "/"))


def _require(damaged: str, version: str) -> None:
    """No release is blamed for what befell our copy of it."""
    if damaged:
        raise DamagedEntryError(version, damaged)


def _seed_package(folder: Path, version: str) -> None:
    package = folder / _PACKAGE
    module = ModuleType(_PACKAGE)
    spec = ModuleSpec(_PACKAGE, None, origin=str(package / "__init__.py"), is_package=True)
    spec.submodule_search_locations = [str(package)]
    module.__spec__ = spec
    module.__path__ = [str(package)]
    vars(module)["__version__"] = version
    sys.modules[_PACKAGE] = module
    # Also for importlib.metadata, which consumers may ask for the version.
    sys.path.insert(0, str(folder))


def _require_folder(module: ModuleType, folder: Path) -> None:
    file = module.__file__ or ""
    if not Path(file).resolve().is_relative_to(folder.resolve()):
        raise WrongFolderError(folder, file)


def _raised_at(error: BaseException, folder: Path) -> str:
    """The deepest frame that lies in the release, as ``file:line`` relative to it."""
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        with contextlib.suppress(ValueError):
            return f"{Path(frame.filename).relative_to(folder)}:{frame.lineno}"
    return ""
