"""Over real processes: the root of a broadcast is a rank of the group."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
import torch.distributed as dist

from flashinfer_comm_fusion.comm_backend import make_comm_backend
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
    backend = make_comm_backend(base, group.device_group, group.cpu_group)

    assert (backend.Get_rank(), backend.Get_size()) == (0, 2)
    assert backend._group is group.device_group
    assert isinstance(backend, TorchDistBackend) is (base is not None)


def _exchange(rank: int, based: bool) -> Any:
    """Ranks 1 and 2 of three; the group's rank 1 is global rank 2."""
    group = dist.new_group([1, 2])
    if rank == 0:
        return None
    backend = make_comm_backend(TorchDistBackend if based else None, group, group)
    backend.barrier()
    return backend.allgather(f"from {rank}"), backend.bcast(f"from {rank}", 1)


@pytest.mark.parametrize("based", [True, False])
def test_a_broadcast_in_a_subgroup_comes_from_the_groups_rank(based: bool) -> None:
    """The upstream's own class took the root for a global rank, and waited for the wrong one."""
    expected = (["from 1", "from 2"], "from 2")

    assert run_ranks(3, _exchange, based) == [None, expected, expected]


def test_a_group_is_not_split_behind_the_back_of_world(ranks: Ranks) -> None:
    assert ranks.upper.device_group is not None
    backend = make_comm_backend(None, ranks.upper.device_group, None)

    with pytest.raises(NotImplementedError, match="every rank of WORLD"):
        backend.Split(0, 0)
