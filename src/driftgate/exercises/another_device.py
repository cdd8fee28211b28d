# ruff: noqa: ANN401 - what torch and the driver take
"""Make workspaces on a GPU whose number is not the rank's: an engine may begin with any."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import torch

from driftgate.exercises.making import BACKENDS, attempt, making
from driftgate.probes.cases.arguments import WHOLE

if TYPE_CHECKING:
    from driftgate.exercises.release import Release
    from driftgate.trace import Json

LOADS_ITSELF = False

_CURRENT = 3
_FACTORIES = ("empty", "full", "tensor", "zeros")


def play(release: Release) -> Json:
    """Return the numbers of the GPUs that each creation used, beside the one that was current."""
    used: list[int] = []
    driver = vars(release.pretended("cuda.bindings.driver"))
    runtime = vars(release.pretended("cuda.bindings.runtime"))
    for module, name, place in (
        (driver, "cuDeviceGet", 0),
        (driver, "cuMulticastAddDevice", 1),
        (runtime, "cudaSetDevice", 0),
    ):
        module[name] = _noting(module[name], place, used)
    _move(release, used)
    records = {}
    with making(release, WHOLE) as maker:
        for backend in BACKENDS:
            used.clear()
            ended = attempt(partial(maker.make, backend))
            records[backend] = {**ended, "used": sorted(set(used))}
    return {"current": _CURRENT, "made": records}


def _noting(call: Any, place: int, used: list[int]) -> Any:
    """Return ``call``, which takes a GPU's number as its argument of that place."""

    def noting(*args: Any, **kwargs: Any) -> Any:
        used.append(int(args[place]))
        return call(*args, **kwargs)

    return noting


def _move(release: Release, used: list[int]) -> None:
    """Let another GPU be current, and note on which one each tensor is made."""
    pretended = vars(release.home("create_allreduce_fusion_workspace").torch)
    vars(pretended["cuda"])["current_device"] = lambda: _CURRENT
    for name in _FACTORIES:
        pretended[name] = _noting_device(pretended[name], used)


def _noting_device(factory: Any, used: list[int]) -> Any:
    def make(*args: Any, **kwargs: Any) -> Any:
        device = torch.device(kwargs.get("device") or "cpu")
        if device.type == "cuda":
            used.append(_CURRENT if str(device) == "cuda" else device.index)
        return factory(*args, **kwargs)

    return make
