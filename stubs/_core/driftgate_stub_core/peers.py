"""Over which peers a workspace meets, and what a sum over them is.

Signatures do not show it: ``shape.toml`` says which of ``group`` and ``comm_backend`` a release
takes the peers from. With a real process group the meeting is a real collective; on torch's
``fake`` process group it is only reported, and every peer is taken to hold this rank's tensor, so
that a sum is the tensor times the number of peers: a missing, a doubled and a wrongly grouped
reduction then all show in one process.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
import torch.distributed as dist

from driftgate_stub_core.events import emit


@dataclass(frozen=True)
class Peers:
    """The ranks that share one workspace.

    Attributes:
        over: ``group`` or ``world`` (a torch process group), or ``comm_backend``.
        ranks: Their global ranks.
        group: The process group, where that is what they meet over.
        comm: The communication backend, where that is what they meet over.
    """

    over: str
    ranks: tuple[int, ...]
    group: Any = None
    comm: Any = None

    def meet(self, backend: str, symbol: str) -> None:
        """Rendezvous, as the collective creation of a ``backend`` workspace does.

        ``meeting`` is told when it begins, ``rendezvous`` when the peers have met.
        """
        emit("meeting", symbol, backend=backend, over=self.over, ranks=list(self.ranks))
        if self.comm is not None:
            exchange_handles(self.comm)
        elif not is_pretended(self.group):
            meet_over_store(self.group)
        emit("rendezvous", symbol, backend=backend, over=self.over, ranks=list(self.ranks))

    def total(self, tensor: torch.Tensor) -> torch.Tensor:
        """The sum of ``tensor`` over the peers, as float32."""
        own = tensor.float()
        if is_pretended(self.group):
            return own * len(self.ranks)
        if self.comm is not None:
            parts: list[torch.Tensor] = list(self.comm.allgather(own))
            return torch.stack(parts).sum(dim=0)
        dist.all_reduce(own := own.clone(), group=self.group)
        return own


def over_group(group: Any | None) -> Peers:
    """The peers of ``group``, or of WORLD.

    Raises:
        AttributeError: There is no process group at all; the releases fail alike.
    """
    group = dist.group.WORLD if group is None else group
    over = "world" if group is dist.group.WORLD else "group"
    group.group_name  # what the releases read first  # noqa: B018
    return Peers(over, tuple(dist.get_process_group_ranks(group)), group=group)


def over_comm_backend(comm: Any | None) -> Peers:
    """The peers that ``comm`` talks to.

    Raises:
        ImportError: There is none, and MPI, which the releases then turn to, is not installed.
    """
    if comm is None:
        raise ImportError("mpi4py is not installed")
    return Peers("comm_backend", _ranks_of(comm), group=_group_of(comm), comm=comm)


def _ranks_of(comm: Any) -> tuple[int, ...]:
    """Global ranks, as well as one process can tell them of a communicator it knows nothing of."""
    group = _group_of(comm)
    if group is not None:
        return tuple(dist.get_process_group_ranks(group))
    if is_pretended(None):
        return tuple(range(comm.Get_size()))
    return tuple(comm.allgather(dist.get_rank()))


def _group_of(comm: Any) -> Any | None:
    """The process group that ``comm`` holds, under whatever name."""
    held = (each for each in vars(comm).values() if isinstance(each, dist.ProcessGroup))
    return next(held, None)


def exchange_handles(comm: Any) -> None:
    """What the allocator does with ``comm``: a broadcast from its first rank, then a barrier.

    On the fake process group only the sender broadcasts: a receiver would get garbage.
    """
    rank = comm.Get_rank()
    if rank == 0 or not is_pretended(None):
        comm.bcast("handle" if rank == 0 else None, root=0)
    comm.barrier()


def meet_over_store(group: Any) -> None:
    """Wait in the group's store for all of its ranks, as torch's symmetric memory does.

    No collective of the group is used, so that a rendezvous which breaks off disturbs none.
    """
    store = dist.PrefixStore("symmetric_memory", group.get_group_store())
    rank = dist.get_rank(group)
    turn = store.add(f"turn/{rank}", 1)
    store.set(f"{turn}/{rank}", "here")
    store.wait([f"{turn}/{peer}" for peer in range(dist.get_world_size(group))])


def is_pretended(group: Any | None) -> bool:
    """Whether ``group`` (None: WORLD) is torch's fake process group, which moves no data."""
    return dist.is_initialized() and dist.get_backend(group) == "fake"
