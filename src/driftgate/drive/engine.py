"""The inference engine that a cell pretends to be: process groups, one rank of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch
import torch.distributed as dist
from torch.testing._internal.distributed.fake_pg import FakeStore

if TYPE_CHECKING:
    from collections.abc import Sequence

    from driftgate.cells import Environment


@dataclass(frozen=True)
class Coordinator:
    """One tensor-parallel group, as engines hand it over.

    Attributes:
        world_size: Ranks in the group.
        rank_in_group: This process's rank in it.
        device_group: For work on the device.
        cpu_group: For votes and broadcasts.
    """

    world_size: int
    rank_in_group: int
    device_group: dist.ProcessGroup
    cpu_group: dist.ProcessGroup

    @property
    def key(self) -> tuple[dist.ProcessGroup, dist.ProcessGroup]:
        """What a caller shows to say which group it means."""
        return self.device_group, self.cpu_group


@dataclass(frozen=True)
class MoeGroups:
    """The groups that one rank's MoE layers work over.

    Attributes:
        whole: Over whose ranks the experts' outputs are summed.
        experts: Ranks that hold different experts; None where each holds all of them.
        slices: Ranks that hold parts of the same experts.
    """

    whole: Coordinator
    experts: Coordinator | None
    slices: Coordinator


class Engine:
    """One process of an engine, on torch's ``fake`` process group.

    The fake group does nothing and returns, so that one process can be any rank of any world.
    This one is the first rank of the environment's group.

    Attributes:
        capturing: Whether a CUDA graph is being captured.
        group: The tensor-parallel group.
    """

    def __init__(self, environment: Environment) -> None:
        self.capturing = False
        self.environment = environment
        dist.init_process_group(
            "fake",
            store=FakeStore(),
            rank=environment.group[0],
            world_size=environment.world_size,
        )
        self.group = self.new_group(environment.group)

    def new_group(self, ranks: Sequence[int]) -> Coordinator:
        """Make a group of these global ranks; this process must be among them."""
        device_group = dist.new_group(list(ranks))
        return Coordinator(
            world_size=len(ranks),
            rank_in_group=list(ranks).index(dist.get_rank()),
            device_group=device_group,
            cpu_group=dist.new_group(list(ranks)),
        )

    def is_capturing(self) -> bool:
        """Answer for ``torch.cuda.is_current_stream_capturing``."""
        return self.capturing

    @property
    def dtype(self) -> torch.dtype:
        """Dtype of the activations."""
        dtype = getattr(torch, self.environment.dtype)
        assert isinstance(dtype, torch.dtype)  # noqa: S101 - a row of environments.toml
        return dtype
