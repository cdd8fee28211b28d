"""Something goes wrong, and an engine goes on: layer by layer, and then without fusion."""

from __future__ import annotations

from typing import TYPE_CHECKING

from driftgate.ranks.peers import held_by
from driftgate.ranks.scripts._common import (
    Belongings,
    begin,
    create,
    exercise,
    finish,
    plain,
    sites,
)
from driftgate.ranks.troubles import bring_about

if TYPE_CHECKING:
    from driftgate.ranks.stage import RankStage

_LAYERS = 3


def run(stage: RankStage) -> None:
    """Ask for a workspace, and to use it, once a layer; then reduce plainly."""
    trouble = stage.case.trouble
    assert trouble is not None, "this script is for rows of troubles"  # noqa: S101 - ours
    if stage.case.strikes(stage.rank.rank):
        bring_about(trouble.id)
        stage.driver.forget()
    if not begin(stage):
        return
    belongings = Belongings()
    for _ in range(_LAYERS):
        for site in sites(stage):
            create(stage, site)
            if not trouble.kills:
                exercise(stage, site, len(site.ranks) + 1)
            if stage.failed("all_reduce", "fused"):
                stage.leave()  # as an engine does: what its peers are in can no more be finished
    for site in [] if trouble.kills else sites(stage):
        shape = (3, stage.environment.hidden_dim)
        plain(stage, site, [held_by(rank, shape, stage.rank.dtype) for rank in site.ranks])
    finish(stage, belongings)
