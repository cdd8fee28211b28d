"""The process group and the machine that probes are played in."""

from __future__ import annotations

import contextlib
import sys
from typing import TYPE_CHECKING

import torch.distributed as dist
from torch.testing._internal.distributed.fake_pg import FakeStore

if TYPE_CHECKING:
    from collections.abc import Iterator

    from driftgate.drive.loading import Controls
    from driftgate.probes.model import Scene

_GPUS = 8


@contextlib.contextmanager
def staged(scene: Scene, controls: Controls) -> Iterator[None]:
    """Pretend the scene's machine, and be the first rank of its group, meanwhile."""
    controls.configure(
        sm=scene.sm, device_count=_GPUS, multicast=scene.multicast, faults=scene.faults
    )
    if not scene.world:
        yield
        return
    excepthook = sys.excepthook  # torch puts one more around it for each process group
    rank, store = scene.ranks[0], FakeStore()
    dist.init_process_group("fake", rank=rank, world_size=scene.world, store=store)
    yield
    dist.destroy_process_group()
    sys.excepthook = excepthook
