"""Put a release's dispatcher, workspaces and validators on the pretended machine."""

from __future__ import annotations

import importlib
import sys
from typing import TYPE_CHECKING, Any

from driftgate.errors import HarnessError
from driftgate.wheels.kernels import KernelModule
from driftgate.wheels.symmetric import (
    Meetings,
    SharedBuffers,
    TorchSymmetricMemory,
    watch_symm_device_memory,
)
from driftgate.wheels.table import SeamKind
from driftgate.wheels.torchdevice import put_on_cpu

if TYPE_CHECKING:
    from driftgate.wheels.machine import Machine
    from driftgate.wheels.table import Seam, SeamTable

# What stands beside the function that shares a buffer.
_FREE = "free_shared_buffer"


class SeamMissingError(HarnessError):
    """A seam's row claims a release that does not have the name.

    Attributes:
        seam: The row's id.
        version: The release.
        target: The dotted name that is not there.
    """

    def __init__(self, seam: str, version: str, target: str) -> None:
        self.seam = seam
        self.version = version
        self.target = target
        super().__init__(
            f"seams.toml: seam {seam!r} claims {version}, which has no {target}; "
            "correct the row's releases"
        )


def apply_seams(version: str, table: SeamTable, machine: Machine) -> tuple[str, ...]:
    """Replace what the rows name in the release that this process has imported.

    Args:
        version: The release; empty for a tree that is none, and has what seams it has.
        table: The rows.
        machine: What it is to run on.

    Returns:
        The ids of the seams in use, ``torch-device`` included.

    Raises:
        SeamMissingError: A row claims this release wrongly.
    """
    meetings = Meetings(machine, table.backends)
    kernels = KernelModule(machine, table.kernels)
    seams = table.for_release(version) if version else tuple(filter(_is_there, table.seams))
    for seam in seams:
        module, target = _find(seam, version)
        if seam.kind is SeamKind.KERNEL_MODULE:
            vars(module)[seam.name] = lambda *_, **__: kernels
        elif seam.kind is SeamKind.SYMM_DEVICE_MEMORY:
            watch_symm_device_memory(target, meetings)
        elif seam.kind is SeamKind.SHARED_BUFFERS:
            buffers = SharedBuffers(meetings)
            vars(module).update({seam.name: buffers.create, _FREE: buffers.free})
        else:
            vars(module)[seam.name] = TorchSymmetricMemory(meetings)
    put_on_cpu("flashinfer", machine)
    return (*(seam.id for seam in seams), "torch-device")


def _is_there(seam: Seam) -> bool:
    return hasattr(sys.modules.get(seam.module), seam.name)


def _find(seam: Seam, version: str) -> tuple[Any, Any]:
    try:
        module = importlib.import_module(seam.module)
        return module, getattr(module, seam.name)
    except (ImportError, AttributeError) as error:
        target = f"{seam.module}.{seam.name}"
        raise SeamMissingError(seam.id, version, target) from error
