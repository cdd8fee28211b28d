"""Make workspaces on a machine in confidential-computing mode, which has no NVLink multicast."""

from __future__ import annotations

import os
from dataclasses import replace
from functools import partial
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from driftgate.exercises.making import BACKENDS, attempt, making
from driftgate.probes.cases.arguments import WHOLE

if TYPE_CHECKING:
    from driftgate.exercises.release import Release
    from driftgate.trace import Json

LOADS_ITSELF = False

_VARIABLE = "FLASHINFER_CONFIDENTIAL_COMPUTE"
_EXPORT = "cuMemExportToShareableHandle"


def play(release: Release) -> Json:
    """Return how each creation ended, and how often memory was shared through the driver."""
    os.environ[_VARIABLE] = "1"
    nvml = vars(release.pretended("pynvml"))
    nvml["nvmlSystemGetConfComputeState"] = lambda: SimpleNamespace(ccFeature=1)
    driver = vars(release.pretended("cuda.bindings.driver"))
    export, exported = driver[_EXPORT], []

    def count(*args: Any) -> Any:  # noqa: ANN401 - a function of the driver
        exported.append(args)
        return export(*args)

    driver[_EXPORT] = count
    records = {}
    with making(release, replace(WHOLE, multicast=False)) as maker:
        for backend in BACKENDS:
            exported.clear()
            ended = attempt(partial(maker.make, backend))
            records[backend] = {**ended, "exported": len(exported)}
    return records
