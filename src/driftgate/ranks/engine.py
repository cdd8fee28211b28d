"""One rank of an inference engine: its process groups over gloo, and its pretended device."""

from __future__ import annotations

import random
import time
from datetime import timedelta
from typing import TYPE_CHECKING

import torch
import torch.distributed as dist
from torch._C._distributed_c10d import TCPStore

from driftgate.drive.engine import Coordinator, MoeGroups
from driftgate.ranks.peers import dtype_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from driftgate.ranks.cases import Case, Topology

# An engine's own limit is minutes: longer than any cell, so that what hangs is seen to hang.
_ENGINE_LIMIT = timedelta(seconds=120)
_SEED = 20  # alike in all servers of a machine, as engines start them
_FREE_BYTES = 1 << 34
_POLL = 0.002


class RankEngine:
    """What :class:`~driftgate.drive.engine.Engine` is, for one of several real ranks.

    Attributes:
        capturing: Whether a CUDA graph is being captured.
        environment: The case as this rank sees it.
        rank: Its global rank.
        group: Its tensor-parallel group, or None where it is in none.
        moe_group: The same for the MoE layers.
        moe: What those consist of, or None where it is in none.
    """

    def __init__(self, case: Case, rank: int, store: Path) -> None:
        topology = case.topology
        self.capturing = False
        self.environment = case.environment(rank)
        self.rank = rank
        random.seed(_SEED)
        torch.manual_seed(_SEED)
        pretend_device(topology, rank)
        dist.init_process_group(
            "gloo",
            store=_meet_at(store, rank),
            rank=rank,
            world_size=topology.world_size,
            timeout=_ENGINE_LIMIT,
        )
        attention = self._coordinators(topology.groups)
        moe = self._coordinators(topology.moe_groups) if topology.moe_groups else attention
        self.group = attention.get(topology.group_of(rank))
        self.moe_group = moe.get(topology.group_of(rank, moe=True))
        experts = self._mine(topology.expert_groups)
        slices = self._mine(topology.slices()) or self.moe_group
        self.moe = self.moe_group and slices and MoeGroups(self.moe_group, experts, slices)

    def _coordinators(self, groups: Sequence[Sequence[int]]) -> dict[tuple[int, ...], Coordinator]:
        """Make the groups, as engines do: every rank of WORLD takes part in making each."""
        mine = {}
        for ranks in groups:
            device_group, cpu_group = dist.new_group(list(ranks)), dist.new_group(list(ranks))
            if self.rank in ranks:
                mine[tuple(ranks)] = Coordinator(
                    world_size=len(ranks),
                    rank_in_group=list(ranks).index(self.rank),
                    device_group=device_group,
                    cpu_group=cpu_group,
                )
        return mine

    def _mine(self, groups: Sequence[Sequence[int]]) -> Coordinator | None:
        """Make the groups; return the one that this rank is in."""
        return next(iter(self._coordinators(groups).values()), None)

    def is_capturing(self) -> bool:
        """Answer for ``torch.cuda.is_current_stream_capturing``."""
        return self.capturing

    @property
    def dtype(self) -> torch.dtype:
        """Dtype of the activations."""
        return dtype_of(self.environment.dtype)


def _meet_at(place: Path, rank: int) -> TCPStore:
    """Return the world's store: rank 0 hosts it, on a port that the system picks."""
    if rank == 0:
        hosted = TCPStore("127.0.0.1", 0, is_master=True, wait_for_workers=False)
        unfinished = place.with_suffix(".part")
        unfinished.write_text(str(hosted.port), encoding="utf-8")
        unfinished.replace(place)
        return hosted
    while not place.exists():
        time.sleep(_POLL)
    port = int(place.read_text(encoding="utf-8"))
    return TCPStore("127.0.0.1", port, is_master=False, wait_for_workers=False)


def pretend_device(topology: Topology, rank: int) -> None:
    """Have ``torch.cuda`` answer for a device of this rank, with as much free memory as no other.

    Nothing that ranks must agree on may follow from what differs between them here.
    """
    device = topology.devices[rank] if topology.devices else rank
    per_node = topology.world_size // topology.nodes
    answers = {
        "current_device": device % per_node,
        "device_count": per_node,
        "get_device_capability": (topology.sm // 10, topology.sm % 10),
        "mem_get_info": (_FREE_BYTES >> device, _FREE_BYTES),
    }
    if topology.reads_machine:
        answers |= {"is_available": True, "is_current_stream_capturing": False}
    for name, answer in answers.items():
        setattr(torch.cuda, name, _constant(answer))


def _constant(answer: object) -> object:
    def answered(*_: object, **__: object) -> object:
        return answer

    return answered
