"""What one rank cannot do, no rank does; and nobody waits for it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
import torch
import torch.distributed as dist

from flashinfer_comm_fusion import FlashInferWorkspaceManager, ReasonCode, Settings, Topology
from fusion import upstreams
from fusion.processes import run_ranks

if TYPE_CHECKING:
    from collections.abc import Callable


def _import_fails(upstream: upstreams.FakeUpstream) -> None:
    del upstream.comm.allreduce_fusion


def _out_of_memory(upstream: upstreams.FakeUpstream) -> None:
    upstream.error = torch.OutOfMemoryError("on this rank alone")


def _no_multicast(upstream: upstreams.FakeUpstream) -> None:
    upstream.multicast_pointer = 0


def _attempt(rank: int, trouble: Callable[[upstreams.FakeUpstream], None] | None) -> Any:
    with pytest.MonkeyPatch.context() as monkeypatch:
        upstream = upstreams.install(monkeypatch)
        if rank == 1 and trouble is not None:
            trouble(upstream)
        settings = Settings(topology=Topology(sm=100), is_capturing=lambda: False)
        manager = FlashInferWorkspaceManager(settings)
        group = dist.group.WORLD
        for _ in range(2):  # the second call must not vote again: the other rank would not
            manager.initialize(2, rank, 64, 1024, device_group=group, cpu_group=group)
        dist.barrier()
        return manager.status.reason, len(upstream.created), upstream.destroyed


def test_ranks_that_can_all_do() -> None:
    assert run_ranks(2, _attempt, None) == [(None, 1, 0), (None, 1, 0)]


def test_nobody_creates_when_one_rank_is_not_ready() -> None:
    assert run_ranks(2, _attempt, _import_fails) == [
        (ReasonCode.PEER_FAILED, 0, 0),
        (ReasonCode.NO_UNIFIED_API, 0, 0),
    ]


@pytest.mark.parametrize(
    ("trouble", "own"),
    [
        (_out_of_memory, (ReasonCode.CREATE_FAILED, 1, 0)),
        (_no_multicast, (ReasonCode.NULL_MULTICAST, 1, 1)),
    ],
)
def test_everybody_gives_up_when_one_creation_fails(
    trouble: Callable[[upstreams.FakeUpstream], None], own: tuple[ReasonCode, int, int]
) -> None:
    """Each rank has tried once; the one that succeeded has destroyed its workspace."""
    assert run_ranks(2, _attempt, trouble) == [(ReasonCode.PEER_FAILED, 1, 1), own]
