"""Every rank gives the same answer, whatever differs between ranks.

Each rank's workspace is made in that rank's place, with its own device, free memory, environment
variables, clock and random state; and is asked with others of each. A decision that looks at any
of them answers differently somewhere.
"""

from __future__ import annotations

import os
import random
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest
import torch
import torch.distributed as dist
from hypothesis import assume, given
from hypothesis import strategies as st
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.testing._internal.distributed.fake_pg import FakeStore

import flashinfer_comm_fusion as fusion
from flashinfer_comm_fusion import FlashInferWorkspaceManager
from property.strategies import QUESTIONS, Made, Problem
from property.upstreams import over

if TYPE_CHECKING:
    from driftgate.drive.loading import Controls

pytestmark = pytest.mark.property

RANKS = 4
SHAPES = ("stub:v0_6_0", "stub:v0_6_11", "stub:v0_7_4")


@dataclass(frozen=True)
class Noise:
    """What a rank has for itself."""

    device: int
    free: int
    clock: float
    seed: int


NOISE = st.lists(
    st.builds(
        Noise,
        device=st.integers(0, 7),
        free=st.integers(0, 1 << 40),
        clock=st.floats(0, 1e9),
        seed=st.integers(0, 1 << 30),
    ),
    min_size=RANKS,
    max_size=RANKS,
)


def put_on(noise: Noise, rank: int, patch: pytest.MonkeyPatch) -> None:
    patch.setattr(torch.cuda, "current_device", lambda: noise.device)
    patch.setattr(torch.cuda, "mem_get_info", lambda *_: (noise.free, 1 << 40))
    patch.setattr(torch.cuda, "memory_allocated", lambda *_: noise.free)
    patch.setattr(time, "monotonic", lambda: noise.clock)
    patch.setattr(time, "perf_counter", lambda: noise.clock)
    patch.setattr(os, "getpid", lambda: noise.seed)
    for name, value in {"RANK": rank, "LOCAL_RANK": noise.device}.items():
        patch.setenv(name, str(value))
    random.seed(noise.seed)
    torch.manual_seed(noise.seed)


def make(made: Made, rank: int) -> FlashInferWorkspaceManager:
    """One rank's workspace, made in that rank's place of a world of torch's ``fake`` backend."""
    if dist.is_initialized():
        dist.destroy_process_group()
    dist.init_process_group("fake", rank=rank, world_size=made.ranks, store=FakeStore())
    members = list(range(made.ranks))
    settings = fusion.Settings(topology=fusion.Topology(sm=100), is_capturing=lambda: False)
    manager = FlashInferWorkspaceManager(settings)
    manager.initialize(
        made.ranks,
        rank,
        made.tokens,
        made.hidden,
        backend=made.backend,
        dtype=made.dtype,
        use_oneshot=made.use_oneshot,
        device_group=dist.new_group(members),
        cpu_group=dist.new_group(members),
    )
    return manager


def answers(manager: FlashInferWorkspaceManager, asked: Problem, fake: Any) -> tuple[bool, bool]:
    assert manager.gate is not None
    with fake:
        tensor = torch.empty(asked.tokens, asked.hidden, dtype=asked.dtype)
    return (
        manager.gate.admits(tensor, asked.use_oneshot),
        manager.is_buffer_size_sufficient(
            asked.tokens, asked.hidden, asked.dtype, asked.use_oneshot
        ),
    )


def compare(controls: Controls) -> None:
    controls.configure(sm=100, device_count=8, multicast=True, faults=())
    fake = FakeTensorMode()

    @given(QUESTIONS, NOISE, NOISE)
    def each_rank_answers_alike(
        question: tuple[Made, Problem], making: list[Noise], asking: list[Noise]
    ) -> None:
        made, asked = question
        assume(made.ranks == RANKS and made.tokens * made.hidden < 1 << 22)
        said = []
        for rank in range(RANKS):
            with pytest.MonkeyPatch.context() as patch:
                put_on(making[rank], rank, patch)
                manager = make(made, rank)
                put_on(asking[rank], rank, patch)
                said.append(manager.gate and answers(manager, asked, fake))
                manager.cleanup()
        assert len(set(said)) == 1, said

    each_rank_answers_alike()


@pytest.mark.parametrize("name", SHAPES)
def test_what_differs_between_ranks_decides_nothing(name: str) -> None:
    over(name, compare)
