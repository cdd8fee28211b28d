"""What every rank puts in, so that each can work out alone what the others hold."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

if TYPE_CHECKING:
    from collections.abc import Sequence


def dtype_of(name: str) -> torch.dtype:
    """Return the dtype that a row names."""
    dtype = getattr(torch, name)
    assert isinstance(dtype, torch.dtype)  # noqa: S101 - a row of ours
    return dtype


def held_by(
    rank: int, shape: Sequence[int], dtype: torch.dtype, scale: float = 1.0
) -> torch.Tensor:
    """Return what a rank holds: normal noise, other noise on each rank, rounded to ``dtype``.

    Args:
        rank: Global rank; it seeds the noise.
        shape: ``[tokens, hidden]``.
        dtype: Element type.
        scale: Standard deviation.
    """
    noise = torch.Generator().manual_seed(1000 + rank)
    return (torch.randn(*shape, generator=noise, dtype=torch.float32) * scale).to(dtype)
