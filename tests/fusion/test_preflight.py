"""A rank without memory for a workspace says so before its peers wait for it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
import torch
import torch.distributed as dist

from flashinfer_comm_fusion import FlashInferWorkspaceManager, ReasonCode, Settings, Topology
from flashinfer_comm_fusion.preflight import least_bytes
from fusion import upstreams
from fusion.processes import run_ranks
from fusion.stubs import Group, over_stub

if TYPE_CHECKING:
    from collections.abc import Callable


@pytest.mark.parametrize(
    ("backend", "ranks", "sizes", "expected"),
    [
        # 2 x 64 x 1024 elements: 2 bytes each for two-shot, and three times 2 for one-shot
        ("trtllm", 2, (64, 1024, torch.bfloat16), 1_048_576),
        ("trtllm", 2, (64, 1024, torch.float32), 1_835_008),
        # 2^32 elements: 8 GiB for two-shot, and three Lamport buffers clamped to 2,145,386,496 B
        ("trtllm", 8, (65_536, 8192, torch.bfloat16), 15_026_094_080),
        # ten tokens are two slices for each of eight ranks: 3 x 2 x 16 x 7168 x 2
        ("mnnvl", 8, (10, 7168, torch.bfloat16), 1_376_256),
        ("mnnvl-cutedsl", 8, (10, 7168, torch.bfloat16), 0),
    ],
)
def test_the_least_that_a_workspace_takes(
    backend: str, ranks: int, sizes: tuple[int, int, torch.dtype], expected: int
) -> None:
    assert least_bytes(backend, ranks, sizes) == expected


def _allocated(core: Any, backend: str, sizes: tuple[int, int, torch.dtype]) -> int:
    core.configure(core.Settings(sm=100))
    taken: list[int] = []
    core.subscribe(lambda kind, _, data: taken.append(data["bytes"]) if kind == "alloc" else None)
    settings = Settings(topology=Topology(sm=100), is_capturing=lambda: False)
    manager = FlashInferWorkspaceManager(settings)
    group = Group(4, [0, 1, 2, 3])
    tokens, hidden, dtype = sizes
    manager.initialize(
        4,
        0,
        tokens,
        hidden,
        backend=backend,
        dtype=dtype,
        device_group=group.device_group,
        cpu_group=group.cpu_group,
    )
    return sum(taken)


@pytest.mark.parametrize("backend", ["trtllm", "mnnvl"])
@pytest.mark.parametrize("shape", ["v0_6_0", "v0_6_11", "v0_7_4"])
@pytest.mark.parametrize(
    "sizes", [(1, 8, torch.bfloat16), (26, 5120, torch.bfloat16), (300, 4096, torch.float32)]
)
def test_no_shape_takes_less(backend: str, shape: str, sizes: tuple[int, int, torch.dtype]) -> None:
    """What would fit is never refused."""
    taken = over_stub(shape, _allocated, backend, sizes)

    assert taken >= least_bytes(backend, 4, sizes) > 0


def _attempt(rank: int, free: Callable[[int], int | None]) -> Any:
    with pytest.MonkeyPatch.context() as monkeypatch:
        upstream = upstreams.install(monkeypatch)
        settings = Settings(
            topology=Topology(sm=90), is_capturing=lambda: False, free_memory=lambda: free(rank)
        )
        manager = FlashInferWorkspaceManager(settings)
        group = dist.group.WORLD
        manager.initialize(2, rank, 64, 1024, device_group=group, cpu_group=group)
        return manager.status.reason, len(upstream.created)


def _just_enough(_: int) -> int:
    return 1_048_576


def _short_on_one(rank: int) -> int:
    return 1_048_576 - rank


def _not_known(_: int) -> None:
    return None


@pytest.mark.parametrize("free", [_just_enough, _not_known])
def test_enough_memory_and_memory_that_is_not_known(free: Callable[[int], int | None]) -> None:
    assert run_ranks(2, _attempt, free) == [(None, 1), (None, 1)]


def test_one_rank_short_of_a_byte_keeps_all_from_creating() -> None:
    assert run_ranks(2, _attempt, _short_on_one) == [
        (ReasonCode.PEER_FAILED, 0),
        (ReasonCode.INSUFFICIENT_MEMORY, 0),
    ]
