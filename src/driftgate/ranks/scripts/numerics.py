"""Numbers, for every dtype and for the inputs that arithmetic is hard on."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

from driftgate.ranks.peers import held_by
from driftgate.ranks.scripts._common import (
    Belongings,
    all_reduce,
    begin,
    create,
    finish,
    fused,
    sites,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from driftgate.ranks.scripts._common import Site
    from driftgate.ranks.stage import RankStage

_DTYPES = (torch.bfloat16, torch.float16, torch.float32)
_ROWS = 6


def run(stage: RankStage) -> None:
    """Make a workspace for each dtype and reduce everything over it."""
    if not begin(stage):
        return
    belongings = Belongings()
    for dtype in _DTYPES:
        name = str(dtype).removeprefix("torch.")
        for site in sites(stage):
            create(stage, site, dtype=dtype)
            for kind, held in _inputs(stage, site, dtype):
                all_reduce(stage, site, held, kind=kind, dtype=name)
                if kind != "overflow":  # whose squares no float32 holds
                    fused(stage, site, held, kind=kind, dtype=name)
            _refused(stage, site, dtype, name)
    finish(stage, belongings)


def _inputs(
    stage: RankStage, site: Site, dtype: torch.dtype
) -> Iterator[tuple[str, list[torch.Tensor]]]:
    """Yield what the ranks hold, by what is hard about it."""
    shape = (_ROWS, stage.environment.hidden_dim)

    def noise(scale: float = 1.0) -> list[torch.Tensor]:
        return [held_by(rank, shape, dtype, scale) for rank in site.ranks]

    yield "noise", noise()
    yield "large", noise(1e3 if dtype == torch.float16 else 1e15)
    yield "small", noise(1e-4)
    empty = noise()
    for each in empty:
        each[1::2] = 0
    yield "zero rows", empty
    yield "overflow", [torch.full(shape, 0.75 * torch.finfo(dtype).max, dtype=dtype)] * len(empty)
    odd = noise()
    odd[0][0, 3] = torch.nan
    odd[-1][1, 5] = torch.inf
    odd[0][2, 7], odd[-1][2, 7] = torch.inf, -torch.inf
    yield "not finite", odd


def _refused(stage: RankStage, site: Site, dtype: torch.dtype, name: str) -> None:
    """Ask about inputs that kernels would misread, and go without where they are refused."""
    hidden = stage.environment.hidden_dim
    wide = [held_by(rank, (_ROWS, 2 * hidden), dtype) for rank in site.ranks]
    all_reduce(stage, site, [each[:, :hidden] for each in wide], kind="not contiguous", dtype=name)
    none = [held_by(rank, (0, hidden), dtype) for rank in site.ranks]
    all_reduce(stage, site, none, kind="no tokens", dtype=name)
    fused(stage, site, none, kind="no tokens", dtype=name)
