"""Make workspaces where NVML's bindings are too old to know of the NVLink fabric."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from driftgate.exercises.making import BACKENDS, attempt, making
from driftgate.probes.cases.arguments import WHOLE
from driftgate.wheels.driver import NVMLError

if TYPE_CHECKING:
    from types import ModuleType

    from driftgate.exercises.release import Release
    from driftgate.trace import Json

LOADS_ITSELF = False

_NEWER = (
    "NVML_GPU_FABRIC_STATE_COMPLETED",
    "c_nvmlGpuFabricInfoV_t",
    "nvmlDeviceGetGpuFabricInfoV",
)


def play(release: Release) -> Json:
    """Return how each creation ended."""
    _age(release.pretended("pynvml"))
    records = {}
    with making(release, WHOLE) as maker:
        for backend in BACKENDS:
            records[backend] = attempt(partial(maker.make, backend))
    return records


def _age(nvml: ModuleType) -> None:
    """Take from the module what it did not always have."""
    kind = type(nvml)

    class Older(kind):  # type: ignore[misc, valid-type]
        def __getattr__(self, name: str) -> object:
            if name in _NEWER:
                raise AttributeError(f"module 'pynvml' has no attribute {name!r}")
            return super().__getattr__(name)

    for name in _NEWER:
        vars(nvml).pop(name, None)
    vars(nvml)["NVMLError"] = NVMLError
    nvml.__class__ = Older
