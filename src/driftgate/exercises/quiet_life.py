"""A workspace's whole life, with a size that it has no room for: what is said meanwhile."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

from driftgate.drive.logs import Recorder
from driftgate.exercises.making import BACKENDS, making
from driftgate.probes.cases.arguments import HIDDEN, TOKENS, WHOLE

if TYPE_CHECKING:
    from driftgate.exercises.making import Maker
    from driftgate.exercises.release import Release
    from driftgate.trace import Json

LOADS_ITSELF = False

_RANKS = 4
_TOO_MANY = 100 * TOKENS
_PRINTED = "stdout"


def play(release: Release) -> Json:
    """Return for each backend what was printed, and what a refusal said above INFO."""
    with making(release, WHOLE) as maker:
        return {backend: _live(maker, backend) for backend in BACKENDS}


def _live(maker: Maker, backend: str) -> dict[str, Json]:
    recorder = Recorder()
    with recorder.installed():
        workspace = maker.make(backend)
        making_it = recorder.take()
        workspace.is_buffer_size_sufficient(_RANKS, _TOO_MANY, HIDDEN, torch.bfloat16)
        refusing = recorder.take()
        workspace.destroy()
        lines = (*making_it, *refusing, *recorder.take())
    return {
        "printed": [line.text for line in lines if line.logger == _PRINTED],
        "refusal": [line.text for line in refusing if line.level != "INFO"],
    }
