"""What a group's workspace allocates is freed when it is given up, whatever the upstream keeps."""

from __future__ import annotations

import gc
from typing import Any

import pytest
import torch

import flashinfer_comm_fusion as fusion
from flashinfer_comm_fusion import FlashInferWorkspaceManager
from fusion.stubs import Group, over_stub


def left_after_each_step(core: Any, backend: str) -> list[int]:
    """Live allocations with a workspace, after it grew, and after it was given up."""
    core.configure(core.Settings(sm=100))
    group = Group(4, [0, 1, 2, 3])
    settings = fusion.Settings(topology=fusion.Topology(sm=100), is_capturing=lambda: False)
    manager = FlashInferWorkspaceManager(settings)
    left = []
    for tokens in (16, 64):
        manager.initialize(
            4,
            0,
            tokens,
            1024,
            backend=backend,
            dtype=torch.bfloat16,
            device_group=group.device_group,
            cpu_group=group.cpu_group,
        )
        gc.collect()
        left.append(core.live_handles())
    manager.cleanup()
    gc.collect()
    return [*left, core.live_handles()]


@pytest.mark.parametrize("name", ["v0_6_8", "v0_6_10", "v0_7_4"])
def test_trtllm_keeps_three_buffers_and_no_more(name: str) -> None:
    """From 0.6.10 on a table of the upstream keeps them over destroy(), unless it is emptied."""
    assert over_stub(name, left_after_each_step, "trtllm") == [3, 3, 0]


@pytest.mark.parametrize("name", ["v0_6_8", "v0_6_10", "v0_7_4"])
def test_mnnvl_keeps_one_allocation_and_no_more(name: str) -> None:
    assert over_stub(name, left_after_each_step, "mnnvl") == [1, 1, 0]
