"""Every test here starts without an engine, and leaves none behind."""

from __future__ import annotations

import logging
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest
import torch.distributed as dist
from torch.testing._internal.distributed.fake_pg import FakeStore

import flashinfer_comm_fusion as fusion
from fusion import upstreams

if TYPE_CHECKING:
    from collections.abc import Iterator

    from torch.distributed import ProcessGroup


@dataclass(frozen=True)
class Group:
    """A coordinator as an engine would have one."""

    world_size: int
    rank_in_group: int
    device_group: ProcessGroup | None
    cpu_group: ProcessGroup | None

    @property
    def key(self) -> tuple[ProcessGroup | None, ProcessGroup | None]:
        return (self.device_group, self.cpu_group)


@dataclass(frozen=True)
class Ranks:
    """Rank 2 of four ranks of torch's ``fake`` backend: all of them, and the upper two."""

    whole: Group
    upper: Group


@pytest.fixture(autouse=True)
def _no_engine(caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    caplog.set_level(logging.INFO, logger="flashinfer_comm_fusion")
    fusion.reset()
    yield
    fusion.reset()
    for name in [name for name in sys.modules if name.split(".")[0] == "flashinfer"]:
        del sys.modules[name]


@pytest.fixture
def upstream(monkeypatch: pytest.MonkeyPatch) -> upstreams.FakeUpstream:
    return upstreams.install(monkeypatch)


@pytest.fixture
def ranks() -> Iterator[Ranks]:
    dist.init_process_group("fake", rank=2, world_size=4, store=FakeStore())

    def group(*members: int) -> Group:
        return Group(
            len(members),
            members.index(2),
            dist.new_group(list(members)),
            dist.new_group(list(members)),
        )

    yield Ranks(whole=group(0, 1, 2, 3), upper=group(2, 3))
    dist.destroy_process_group()
