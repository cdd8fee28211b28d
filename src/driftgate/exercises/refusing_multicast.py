# ruff: noqa: ANN401 - what the driver, torch and sockets take
"""Make the workspace that needs no multicast where the driver refuses all that is about it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from driftgate.exercises.making import attempt, making
from driftgate.probes.cases.arguments import WHOLE

if TYPE_CHECKING:
    from driftgate.exercises.release import Release
    from driftgate.trace import Json

LOADS_ITSELF = False

_BACKEND = "trtllm"


def play(release: Release) -> Json:
    """Return how creation ended, and which refused functions of the driver it called."""
    driver = vars(release.pretended("cuda.bindings.driver"))
    refusal = driver["CUresult"].CUDA_ERROR_OUT_OF_MEMORY
    called: list[str] = []

    def refusing(name: str) -> Any:
        def call(*_: Any) -> Any:
            called.append(name)
            return refusal, 0

        return call

    for name in [each for each in driver if each.startswith("cuMulticast")]:
        driver[name] = refusing(name)
    with making(release, replace(WHOLE, multicast=False)) as maker:
        ended = attempt(lambda: maker.make(_BACKEND))
    return {**ended, "called": called}
