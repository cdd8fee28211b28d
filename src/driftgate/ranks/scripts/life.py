"""A workspace's whole life on every rank at once: made, asked, used, grown, given back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from driftgate.ranks.scripts._common import (
    Belongings,
    begin,
    create,
    decide,
    exercise,
    finish,
    sites,
)

if TYPE_CHECKING:
    from driftgate.ranks.stage import RankStage


def run(stage: RankStage) -> None:
    """Drive a consumer through everything that a healthy engine does."""
    if not begin(stage):
        return
    belongings = Belongings()
    tokens = stage.environment.max_token_num
    for site in sites(stage):
        create(stage, site)
    for size in (tokens, 2 * tokens):
        for site in sites(stage):
            create(stage, site, tokens=size)
            decide(stage, site, tokens=size)
            for count in (1, len(site.ranks) + 1, size):
                exercise(stage, site, count)
    finish(stage, belongings)
