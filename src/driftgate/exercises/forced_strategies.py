"""Calls of every size up to the one asked for, with each strategy forced in turn."""

from __future__ import annotations

import inspect
from functools import partial
from typing import TYPE_CHECKING, Any

import torch

from driftgate.exercises.making import BACKENDS, all_reduce, attempt, making
from driftgate.probes.cases.arguments import over

if TYPE_CHECKING:
    from driftgate.exercises.making import Maker
    from driftgate.exercises.release import Release
    from driftgate.trace import Json

LOADS_ITSELF = False

_RANKS = 8
_HIDDEN = 1024
# One-shot needs eight times the bytes there that workspaces are made for without being asked.
_MOST_TOKENS = 512
_TOKENS = (1, 4, _RANKS, _RANKS + 1, 64, 65, _MOST_TOKENS)
_DTYPE = torch.bfloat16
_HINTS = {None: "AUTO", True: "ONESHOT", False: "TWOSHOT"}
_STRATEGY = "MNNVLAllreduceFusionStrategy"


def play(release: Release) -> Json:
    """Return, for each call, what the size check said without and with the hint, and its end."""
    records = []
    with making(release, over(_RANKS)) as maker:
        for backend in BACKENDS:
            workspace = maker.make(backend, max_token_num=_MOST_TOKENS, hidden_dim=_HIDDEN)
            for tokens in _TOKENS:
                unasked = bool(workspace.is_buffer_size_sufficient(_RANKS, tokens, _HIDDEN, _DTYPE))
                records += [
                    {
                        "backend": backend,
                        "tokens": tokens,
                        "use_oneshot": hint,
                        "fits": unasked,
                        "fits with the hint": _fits(maker, workspace, tokens, hint),
                        **attempt(partial(_reduce, release, workspace, tokens, hint)),
                    }
                    for hint in _HINTS
                ]
    return {"ranks": _RANKS, "calls": records}


def _fits(maker: Maker, workspace: Any, tokens: int, hint: bool | None) -> bool:  # noqa: ANN401, FBT001
    """Ask the size check with the hint, in the words that it takes."""
    check = workspace.is_buffer_size_sufficient
    words: dict[str, Any] = {}
    if "strategy" in inspect.signature(check).parameters:
        words["strategy"] = maker.release.get(_STRATEGY)[_HINTS[hint]]
    else:
        words["use_oneshot"] = hint
    return bool(check(_RANKS, tokens, _HIDDEN, _DTYPE, **words))


def _reduce(release: Release, workspace: Any, tokens: int, hint: bool | None) -> None:  # noqa: ANN401, FBT001
    all_reduce(release, workspace, torch.ones(tokens, _HIDDEN, dtype=_DTYPE), use_oneshot=hint)
