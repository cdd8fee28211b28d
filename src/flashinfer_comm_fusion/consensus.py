"""Agreement between ranks: fusion runs on all ranks of a group or on none.

Votes go over a connection of their own, and not over the engine's CPU group: a creation that
breaks off leaves messages behind, and an engine's next collective would take them for its own.
"""

from __future__ import annotations

import itertools
import time
from datetime import timedelta
from typing import TYPE_CHECKING, Any, Final

import torch
import torch.distributed as dist
from torch.distributed.distributed_c10d import PrefixStore

from flashinfer_comm_fusion.status import logger

if TYPE_CHECKING:
    from collections.abc import Callable

    from torch.distributed import ProcessGroup
    from torch.distributed.distributed_c10d import Store

# Votes, so ordered that the least of all ranks' is the outcome.
_NO: Final = 0
_NOT_YET: Final = 1
_YES: Final = 2

_PAUSE_SECONDS: Final = 0.005


class Council:
    """The ranks of one group, which agree on one thing after the other.

    An agreement is a series of rounds, and in each every rank's vote is compared. It ends with
    the first round in which a rank says no, or with the second in which all say yes: a rank that
    gave up waiting in one round is missed in the next, so that nobody goes on without it. A rank
    that is lost, or does not come in time, ends it on all others, and every later one as well.

    Args:
        cpu_group: The group's CPU backend; None: this rank decides alone.
        patience: Seconds that a round waits for the slowest rank.

    Attributes:
        patience: As given.
        cpu_group: As given.
        is_closed: Whether no vote can be won any more.
        store: Where the group's ranks may exchange what no other agreement can confuse; None
            where the group offers none.
    """

    def __init__(self, cpu_group: ProcessGroup | None, patience: float) -> None:
        self.patience = patience
        self.cpu_group = cpu_group
        self.is_closed = False
        self._exchanges = itertools.count()
        self._connection: Any = None
        self.store: Store | None = None if cpu_group is None else _private_store(cpu_group)

    @property
    def can_wait(self) -> bool:
        """Whether ranks can vote while the engine's groups are in use, by a creation say."""
        return self.store is not None

    def agree(self, ballot: Callable[[], bool | None]) -> bool:
        """Vote until there is an outcome; True only if every rank of the group votes True.

        Collective: every rank must come here the same number of times, whatever happened to it
        locally.

        Args:
            ballot: This rank's vote; None: not known yet, ask again.
        """
        confirmed = False
        while True:
            vote = ballot()
            outcome = self._round(_NOT_YET if vote is None else _YES if vote else _NO)
            if outcome == _NO:
                return False
            if outcome == _YES and confirmed:
                return True
            confirmed = outcome == _YES
            if not confirmed:
                time.sleep(_PAUSE_SECONDS)

    def next_exchange(self) -> int:
        """A number for an exchange of objects, the same on every rank."""
        return next(self._exchanges)

    def close(self) -> None:
        """Close the connection; ranks that still vote lose their vote."""
        self.is_closed = True
        self._connection = None

    def _round(self, vote: int) -> int:
        if self.cpu_group is None:
            return vote
        if self.is_closed:
            return _NO
        # An engine may be inside a `with torch.device(...)`: the vote stays on the CPU.
        box = torch.tensor([vote], dtype=torch.int32, device="cpu")
        try:
            self._least(box)
        except Exception as error:  # noqa: BLE001 - a lost peer, a time limit: the vote is lost
            logger.error("the ranks could not vote on all-reduce fusion: %s", error)
            self.close()
            return _NO
        return int(box.item())

    def _least(self, box: torch.Tensor) -> None:
        assert self.cpu_group is not None  # noqa: S101 - for the type checker
        if self.store is None:
            dist.all_reduce(box, op=dist.ReduceOp.MIN, group=self.cpu_group)
            return
        if self._connection is None:
            self._connection = dist.ProcessGroupGloo(
                PrefixStore("votes", self.store),
                dist.get_rank(self.cpu_group),
                dist.get_world_size(self.cpu_group),
                timedelta(seconds=self.patience),
            )
        options = dist.AllreduceOptions()
        options.reduceOp = dist.ReduceOp.MIN  # type: ignore[assignment]
        self._connection.allreduce([box], options).wait()


def _private_store(cpu_group: ProcessGroup) -> Store | None:
    """A part of the group's store that no other council uses; None where it has no store.

    Councils of a group are opened in the same order on all its ranks, so each rank's own count
    of them names the same council everywhere.
    """
    try:
        store = cpu_group.get_group_store()
        name = f"flashinfer_comm_fusion/{store.add(f'councils/{dist.get_rank(cpu_group)}', 1)}"
    except Exception:  # noqa: BLE001 - an older torch, or a backend that only pretends
        return None
    return PrefixStore(name, store)
