"""Drives the fusion module over the stub tree, each stub in a forked child."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch.distributed as dist
from torch.testing._internal.distributed.fake_pg import FakeStore

import flashinfer_comm_fusion as fusion
from driftgate.toml import read_toml
from fusion.processes import finish, start

if TYPE_CHECKING:
    from collections.abc import Callable

    from torch.distributed import ProcessGroup

STUBS = Path(__file__).parents[2] / "stubs"
NAMES = sorted(path.parent.name for path in STUBS.glob("*/shape.toml"))


def degraded(name: str) -> dict[str, str]:
    """What a stub's shape says must be refused: patterns of environment ids, and reason codes."""
    table: dict[str, str] = read_toml(STUBS / name / "shape.toml").get("degraded", {})
    return table


def never_active(name: str) -> bool:
    """Whether nothing can be active over a stub, whatever the environment."""
    return any(not pattern.strip("*?") for pattern in degraded(name))


def over_stub(name: str, function: Callable[..., Any], *arguments: Any) -> Any:
    """Run ``function(core, *arguments)`` in a child that has the stub on its path.

    Args:
        name: The stub's folder.
        function: Gets the stub core's module; its answer must pickle.
        arguments: For it.
    """

    def inside() -> Any:
        sys.path[:0] = [str(STUBS / name), str(STUBS / "_core")]
        return function(importlib.import_module("driftgate_stub_core"), *arguments)

    return finish(*start(inside))


class Group:
    """A coordinator over some ranks of a fresh WORLD of torch's ``fake`` backend."""

    def __init__(self, world: int, members: list[int]) -> None:
        if dist.is_initialized():
            dist.destroy_process_group()
        dist.init_process_group("fake", rank=members[0], world_size=world, store=FakeStore())
        self.world_size = len(members)
        self.rank_in_group = 0
        self.device_group: ProcessGroup | None = dist.new_group(members)
        self.cpu_group: ProcessGroup | None = dist.new_group(members)

    @property
    def key(self) -> tuple[ProcessGroup | None, ProcessGroup | None]:
        """What an engine passes as ``expected_group_key``."""
        return (self.device_group, self.cpu_group)


def configure(core: Any, group: Group, sm: int, backend: str = "auto") -> None:
    """Pretend to be a machine, and be the engine on it."""
    core.configure(core.Settings(sm=sm))
    fusion.configure(
        attn_tp_group=group,
        backend=backend,
        topology=fusion.Topology(sm=sm, multicast=True),
        is_capturing=lambda: False,
    )
