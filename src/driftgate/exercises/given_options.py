"""Calls that differ in one option: whether the kernel hears of it."""

from __future__ import annotations

import inspect
from functools import partial
from typing import TYPE_CHECKING, Any

import torch

from driftgate.exercises.making import BACKENDS, all_reduce, attempt, making
from driftgate.probes.cases.arguments import HIDDEN, TOKENS, WHOLE

if TYPE_CHECKING:
    from driftgate.exercises.release import Release
    from driftgate.trace import Json

LOADS_ITSELF = False

_OPTIONS = ("use_oneshot", "launch_with_pdl", "trigger_completion_at_end", "fp32_acc")
_CALL = "allreduce_fusion"
_FEW = 6  # so that each strategy has room, and there are more tokens than ranks


def play(release: Release) -> Json:
    """Return, for each option that is taken, what a kernel was told for False and for True."""
    heard: list[dict[str, Json]] = []
    release.controls.subscribe(
        lambda kind, _, data: heard.append(data) if kind == "kernel" else None
    )
    records = []
    with making(release, WHOLE) as maker:
        taken = inspect.signature(getattr(release.comm, _CALL)).parameters
        for backend in BACKENDS:
            workspace = maker.make(backend, max_token_num=TOKENS)
            for option in (each for each in _OPTIONS if each in taken):
                told, ends = [], []
                for value in (False, True):
                    heard.clear()
                    ends.append(attempt(partial(_reduce, release, workspace, {option: value})))
                    told.append(heard[-1].get(option) if heard else None)
                records.append({"backend": backend, "option": option, "told": told, "ends": ends})
    return records


def _reduce(release: Release, workspace: Any, options: dict[str, bool]) -> None:  # noqa: ANN401
    all_reduce(release, workspace, torch.ones(_FEW, HIDDEN, dtype=torch.bfloat16), **options)
