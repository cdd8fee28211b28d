# ruff: noqa: FBT001 - a hint is True, False or None
"""Calls at the very size that a workspace was made for, whatever that is."""

from __future__ import annotations

from functools import partial
from itertools import product
from typing import TYPE_CHECKING

import torch

from driftgate.exercises.making import BACKENDS, all_reduce, making
from driftgate.probes.cases.arguments import over
from driftgate.probes.model import DType
from driftgate.wheels.kernels import KernelRefusedError

if TYPE_CHECKING:
    from driftgate.exercises.making import Maker
    from driftgate.exercises.release import Release
    from driftgate.trace import Json

LOADS_ITSELF = False

# Ranks, tokens, width; the last needs more than the two gibibytes that areas are clamped to.
_SIZES = ((2, 2048, 4096), (4, 26, 5120), (8, 2048, 4096), (8, 32768, 8192))
_DTYPES = ("bfloat16", "float32")
_HINTS = (None, True, False)


def play(release: Release) -> Json:
    """Return, for each call that the size check accepts, why a kernel lacks room, or nothing."""
    records = []
    for (ranks, tokens, hidden), dtype in product(_SIZES, _DTYPES):
        with making(release, over(ranks)) as maker:
            for backend, hint in product(BACKENDS, _HINTS):
                lacks = partial(_lacks, maker, backend, (ranks, tokens, hidden), dtype)
                case = f"{tokens} x {hidden} {dtype} on {ranks} ranks, use_oneshot={hint}"
                records.append({"backend": backend, "case": case, "lacks": lacks(hint)})
    return records


def _lacks(
    maker: Maker, backend: str, size: tuple[int, int, int], dtype: str, hint: bool | None
) -> str:
    """Call with tensors that have a size and no bytes; what is refused before a kernel is well."""
    ranks, tokens, hidden = size
    asked = {"max_token_num": tokens, "hidden_dim": hidden, "dtype": DType(dtype)}
    try:
        workspace = maker.make(backend, **asked)
    except ValueError:
        return ""
    kind: torch.dtype = getattr(torch, dtype)
    if not workspace.is_buffer_size_sufficient(ranks, tokens, hidden, kind):
        return ""
    try:
        tensor = torch.empty(tokens, hidden, dtype=kind, device="meta")
        all_reduce(maker.release, workspace, tensor, use_oneshot=hint)
    except KernelRefusedError as error:
        return "; ".join(error.problems)
    except ValueError:
        return ""
    return ""
