"""Steps that the scripts of ranks share."""

from __future__ import annotations

import gc
import os
import stat
import threading
from typing import TYPE_CHECKING, NamedTuple

import torch
import torch.distributed as dist

from driftgate.ranks.driver import knows_two_groups, tell, turn_to
from driftgate.ranks.numerics import right_norm, right_residual, right_sum
from driftgate.ranks.peers import held_by

if TYPE_CHECKING:
    from collections.abc import Iterator

    from driftgate.drive.engine import Coordinator
    from driftgate.ranks.stage import RankStage
    from driftgate.trace import Json

EPS = 1e-6


class Site(NamedTuple):
    """One of an engine's two groups: its name in traces, its members, its coordinator."""

    name: str
    ranks: tuple[int, ...]
    group: Coordinator


def begin(stage: RankStage) -> bool:
    """Configure the consumer; return whether it can be driven on."""
    topology = stage.case.topology
    stage.upstream.pretend(stage.environment, sm=topology.sm, nodes=topology.nodes)
    stage.step("configure", lambda: tell(stage.driver, stage.rank, topology))
    return stage.ok()


def sites(stage: RankStage) -> Iterator[Site]:
    """Yield the groups that this rank is in, and turn the consumer to each."""
    rank, topology = stage.rank, stage.case.topology
    found = [("attention", False, rank.group), ("moe", True, rank.moe_group)]
    both = bool(topology.moe_groups) and knows_two_groups(stage.driver)
    for name, moe, group in found if both else found[:1]:
        if group is not None:
            turn_to(stage.driver, attention=not moe)
            yield Site(name, topology.group_of(rank.rank, moe=moe), group)


def create(
    stage: RankStage, site: Site, *, tokens: int = 0, dtype: torch.dtype | None = None
) -> bool:
    """Ask for a site's workspace."""
    tokens = tokens or stage.environment.max_token_num
    made = stage.step(
        "create",
        lambda: stage.driver.create(
            tokens, stage.environment.hidden_dim, dtype or stage.rank.dtype
        ),
        site=site.name,
        ranks=list(site.ranks),
        tokens=tokens,
    )
    return bool(made)


def decide(stage: RankStage, site: Site, *, tokens: int = 0) -> None:
    """Ask about problems around every edge; one digit an answer."""
    tokens = tokens or stage.environment.max_token_num
    hidden = stage.environment.hidden_dim
    ranks = len(site.ranks)
    asked = [
        (count, width)
        for width in (hidden, hidden // 2, hidden - 8, 2 * hidden)
        for count in (0, 1, ranks, ranks + 1, tokens, tokens + 1, 4 * tokens)
    ]

    def answer() -> str:
        answers = (
            stage.driver.can_use(torch.empty(*each, dtype=stage.rank.dtype), site.group)
            for each in asked
        )
        return "".join(str(int(each)) for each in answers)

    stage.step("decide", answer, site=site.name, ranks=list(site.ranks))


def exercise(stage: RankStage, site: Site, tokens: int) -> None:
    """Reduce as a layer does: fused where the consumer says yes, plainly where it says no."""
    shape = (tokens, stage.environment.hidden_dim)
    held = [held_by(rank, shape, stage.rank.dtype) for rank in site.ranks]
    all_reduce(stage, site, held)
    fused(stage, site, held)


def all_reduce(stage: RankStage, site: Site, held: list[torch.Tensor], **args: Json) -> None:
    """All-reduce what the ranks hold, fused if the consumer says yes, and compare."""
    mine = held[site.group.rank_in_group]
    used = stage.step(
        "can_use", lambda: stage.driver.can_use(mine, site.group), site=site.name, **args
    )
    if not used:
        plain(stage, site, held, **args)
        return
    want = right_sum(held)
    stage.step(
        "all_reduce",
        lambda: stage.driver.all_reduce(mine),
        measure=lambda got: {"badness": want.badness(got)},
        site=site.name,
        tokens=mine.shape[0],
        **args,
    )


def plain(stage: RankStage, site: Site, held: list[torch.Tensor], **args: Json) -> None:
    """All-reduce as an engine without fusion does, and compare."""
    mine = held[site.group.rank_in_group].clone()
    want = right_sum(held, in_dtype=True)

    def reduce() -> torch.Tensor:
        dist.all_reduce(mine, group=site.group.device_group)
        return mine

    stage.step(
        "plain",
        reduce,
        measure=lambda got: {"badness": want.badness(got)},
        site=site.name,
        tokens=mine.shape[0],
        **args,
    )


def fused(stage: RankStage, site: Site, held: list[torch.Tensor], **args: Json) -> None:
    """Ask for the fused operation, and compare both of its results; a refusal is plain."""
    mine = held[site.group.rank_in_group]
    residual = held_by(-1, mine.shape, mine.dtype)
    weight = held_by(-2, (mine.shape[1],), mine.dtype) + 1
    norm, before = right_norm(held, residual, weight, EPS), right_residual(held, residual)
    outcome = stage.step(
        "fused",
        lambda: stage.driver.fused(mine, residual.clone(), weight, EPS),
        measure=lambda got: (
            {"declined": True}
            if got is None
            else {
                "declined": False,
                "norm_badness": norm.badness(got[0]),
                "residual_badness": before.badness(got[1]),
            }
        ),
        site=site.name,
        tokens=mine.shape[0],
        **args,
    )
    if outcome is None and stage.ok():
        plain(stage, site, held, **args)


class Belongings:
    """What a process holds, to be compared after a cleanup."""

    def __init__(self) -> None:
        self._threads = threading.active_count()
        self._sockets = _open_sockets()

    def left(self) -> list[str]:
        """Name what is there now and was not there before."""
        found = []
        if (threads := threading.active_count() - self._threads) > 0:
            found.append(f"threads: {threads}")
        if (sockets := _open_sockets() - self._sockets) > 0:
            found.append(f"sockets: {sockets}")
        return found


def finish(stage: RankStage, belongings: Belongings) -> None:
    """Clean up twice and look for what is still there."""
    for site in sites(stage):
        for _ in range(2):
            stage.step("cleanup", stage.driver.cleanup, site=site.name)
    gc.collect()
    stage.leaks += belongings.left()
    if stage.upstream.live_handles():
        stage.leaks.append(f"handles: {stage.upstream.live_handles()}")
    stage.note("leftovers", list(stage.leaks))


def _open_sockets() -> int:
    return sum(_is_socket(name) for name in os.listdir("/proc/self/fd"))  # noqa: PTH208 - names


def _is_socket(descriptor: str) -> bool:
    try:
        return stat.S_ISSOCK(os.fstat(int(descriptor)).st_mode)
    except OSError:
        return False  # the listing's own descriptor
