"""Over real processes: the root of a broadcast is a rank of the group."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

import pytest
import torch.distributed as dist

from flashinfer_comm_fusion.comm_backend import make_comm_backend
from flashinfer_comm_fusion.consensus import Council
from fusion.processes import run_ranks
from fusion.upstreams import TorchDistBackend

if TYPE_CHECKING:
    from fusion.conftest import Ranks


class Interface:
    """What a later release has in place of the class: nothing that takes a group."""


@pytest.mark.parametrize("base", [TorchDistBackend, None])
def test_ranks_are_the_groups_own(ranks: Ranks, base: type | None) -> None:
    group = ranks.upper
    assert group.device_group is not None
    backend = make_comm_backend(base, group.device_group, Council(group.cpu_group, 1.0))

    assert (backend.Get_rank(), backend.Get_size()) == (0, 2)
    assert backend._group is group.device_group
    assert isinstance(backend, TorchDistBackend) is (base is not None)


def _exchange(rank: int, based: bool, voting: bool) -> Any:
    """Ranks 1 and 2 of three; the group's rank 1 is global rank 2."""
    group = dist.new_group([1, 2])
    if rank == 0:
        return None
    council = Council(group if voting else None, 60.0)
    backend = make_comm_backend(TorchDistBackend if based else None, group, council)
    backend.barrier()
    return backend.allgather(f"from {rank}"), backend.bcast(f"from {rank}", 1)


@pytest.mark.parametrize(("based", "voting"), [(True, True), (False, True), (True, False)])
def test_a_broadcast_in_a_subgroup_comes_from_the_groups_rank(based: bool, voting: bool) -> None:
    """The upstream's own class took the root for a global rank, and waited for the wrong one."""
    expected = (["from 1", "from 2"], "from 2")

    assert run_ranks(3, _exchange, based, voting) == [None, expected, expected]


def _abandoned(rank: int) -> Any:
    """Rank 1 waits for an object that rank 0 never sends; then both use the engine's group."""
    group = dist.group.WORLD
    assert group is not None
    council = Council(group, 60.0)
    backend = make_comm_backend(TorchDistBackend, group, council)
    error = ""
    if rank == 1:
        threading.Timer(0.2, council.close).start()
        try:
            backend.bcast(None, 0)
        except TimeoutError as raised:
            error = str(raised)
    box = [f"from {rank}"]
    dist.broadcast_object_list(box, src=0)
    return error, box


def test_an_exchange_that_is_given_up_leaves_no_message_behind() -> None:
    assert run_ranks(2, _abandoned) == [
        ("", ["from 0"]),
        ("rank 0 of the group sent nothing", ["from 0"]),
    ]


def test_a_group_is_not_split_behind_the_back_of_world(ranks: Ranks) -> None:
    assert ranks.upper.device_group is not None
    backend = make_comm_backend(None, ranks.upper.device_group, Council(None, 1.0))

    with pytest.raises(NotImplementedError, match="every rank of WORLD"):
        backend.Split(0, 0)
