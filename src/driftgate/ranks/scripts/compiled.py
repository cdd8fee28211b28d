"""Layers that reduce, under ``torch.compile(fullgraph=True)``, over changing token counts."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
from torch._dynamo.testing import CompileCounter
from torch._guards import TracingContext

from driftgate.ranks.numerics import right_norm, right_residual, right_sum
from driftgate.ranks.peers import held_by
from driftgate.ranks.scripts._common import EPS, Belongings, begin, create, finish, sites

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from driftgate.ranks.numerics import Right
    from driftgate.ranks.scripts._common import Site
    from driftgate.ranks.stage import RankStage
    from driftgate.trace import Json

    Outputs = tuple[torch.Tensor, ...] | None
    Layer = Callable[[torch.Tensor, torch.Tensor, torch.Tensor], Outputs]

_TOKENS = (8, 16, 19)  # none that Dynamo makes a constant of by itself, as it does of 0 and 1


class _Counter(CompileCounter):
    """Counts compilations, and keeps what Dynamo traced into."""

    def __init__(self) -> None:
        super().__init__()
        self.traced: set[str] = set()

    def __call__(
        self, gm: torch.fx.GraphModule, example_inputs: list[torch.Tensor]
    ) -> Callable[..., Any]:
        """Run the graph as it is; see torch's own."""
        self.traced |= {code.co_filename for code in TracingContext.get_traced_code() or ()}
        return super().__call__(gm, example_inputs)


def run(stage: RankStage) -> None:
    """Compile each layer once and call it with every token count."""
    if not begin(stage):
        return
    belongings = Belongings()
    stage.observer.unwrap_methods()
    for site in sites(stage):
        if create(stage, site):
            for name, layer in _layers(stage, site).items():
                _compile(stage, site, name, layer)
    finish(stage, belongings)


def _layers(stage: RankStage, site: Site) -> dict[str, Layer]:
    """The two ways in which engines reduce."""
    driver, group = stage.driver, site.group

    def all_reduce(tensor: torch.Tensor, *_: torch.Tensor) -> Outputs:
        return (driver.all_reduce(tensor),) if driver.can_use(tensor, group) else None

    def fused(tensor: torch.Tensor, residual: torch.Tensor, weight: torch.Tensor) -> Outputs:
        return driver.fused(tensor, residual, weight, EPS)

    return {"all_reduce": all_reduce, "fused": fused}


def _compile(stage: RankStage, site: Site, name: str, layer: Layer) -> None:
    counter = _Counter()
    torch._dynamo.reset()  # noqa: SLF001 - as torch documents it
    compiled = torch.compile(layer, backend=counter, fullgraph=True, dynamic=True)
    for tokens in _TOKENS:
        shape, dtype = (tokens, stage.environment.hidden_dim), stage.rank.dtype
        held = [held_by(rank, shape, dtype) for rank in site.ranks]
        residual, weight = held_by(-1, shape, dtype), held_by(-2, shape[1:], dtype) + 1
        want = (
            [right_sum(held)]
            if name == "all_reduce"
            else [right_norm(held, residual, weight, EPS), right_residual(held, residual)]
        )
        stage.step(
            "compiled",
            partial(compiled, held[site.group.rank_in_group], residual, weight),
            measure=partial(_compare, want),
            site=site.name,
            layer=name,
            tokens=tokens,
        )
        if not stage.ok():
            return
    folder = str(Path(str(sys.modules["flashinfer"].__file__)).parent)
    compiling: Json = {
        "compilations": counter.frame_count,
        "traced": sorted(file for file in counter.traced if file.startswith(folder)),
    }
    stage.step("compilations", lambda: compiling, measure=dict, site=site.name, layer=name)


def _compare(want: Sequence[Right], got: Outputs) -> Json:
    """Say how far each output is from float64; a refusal has none."""
    return {"badness": [right.badness(each) for right, each in zip(want, got or (), strict=False)]}
