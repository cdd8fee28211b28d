"""A workspace is made after another library has brought a stub of the CUDA runtime with it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from driftgate.drive.scripts._common import begin, can_use, create, finish, fused, sample
from driftgate.exercises.maps import mapped

if TYPE_CHECKING:
    from driftgate.drive.stage import Stage

_STUB = "/site-packages/tilelang/lib/libcudart_stub.so"
_RUNTIME = "/site-packages/nvidia/cuda_runtime/lib/libcudart.so.12"


def run(stage: Stage) -> None:
    """Make the workspace and use it; the upstream was imported before the stub was loaded."""
    if not begin(stage):
        return
    small = sample(4, stage.environment.hidden_dim, stage.engine.dtype)
    with mapped(_STUB, _RUNTIME):
        create(stage)
        can_use(stage, small)
        fused(stage, small)
    finish(stage)
