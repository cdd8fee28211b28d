"""Drop the last reference to a workspace whose size check was asked."""

from __future__ import annotations

import functools
import gc
import weakref
from typing import TYPE_CHECKING

import torch

from driftgate.exercises.making import BACKENDS, attempt, making
from driftgate.probes.cases.arguments import HIDDEN, WHOLE

if TYPE_CHECKING:
    from driftgate.exercises.release import Release
    from driftgate.trace import Json

LOADS_ITSELF = False

_RANKS = 4


class _Unhashable(int):
    """A number of tokens as good as any, that can be no key of a table."""

    __hash__ = None  # type: ignore[assignment]


def play(release: Release) -> Json:
    """Return for each backend whether it is alive, and how an unhashable argument was taken."""
    records = {}
    for backend in BACKENDS:
        with making(release, WHOLE) as maker:
            workspace = maker.make(backend)
            check = workspace.is_buffer_size_sufficient
            check(_RANKS, 1, HIDDEN, torch.bfloat16)
            odd = (_RANKS, _Unhashable(1), HIDDEN, torch.bfloat16)
            taken = attempt(functools.partial(check, *odd))
            name, seen = type(workspace).__name__, weakref.ref(workspace)
            del workspace, check
            gc.collect()
            records[backend] = {"class": name, "alive": seen() is not None, "unhashable": taken}
    return records
