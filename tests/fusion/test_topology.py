from __future__ import annotations

import pytest
import torch

from flashinfer_comm_fusion.status import ReasonCode, Refusal
from flashinfer_comm_fusion.topology import Topology, read_topology, resolve_backend

NO = ReasonCode.UNSUPPORTED_TOPOLOGY


@pytest.mark.parametrize(
    ("asked", "sm", "nodes", "expected"),
    [
        ("auto", 90, 1, "trtllm"),
        ("auto", 100, 1, "mnnvl"),
        ("auto", 103, 1, "mnnvl"),
        ("auto", 100, 2, "mnnvl"),
        ("auto", 103, 2, "mnnvl"),
        ("auto", 90, 2, NO),
        ("auto", 80, 1, NO),
        ("auto", 120, 1, NO),
        ("trtllm", 90, 1, "trtllm"),
        ("trtllm", 100, 1, "trtllm"),
        ("trtllm", 100, 2, NO),
        ("trtllm", 120, 1, NO),
        ("mnnvl", 90, 1, "mnnvl"),
        ("mnnvl", 90, 2, NO),
        ("mnnvl", 103, 4, "mnnvl"),
        ("mnnvl", 120, 1, NO),
        ("mnnvl-cutedsl", 100, 1, "mnnvl-cutedsl"),
        ("mnnvl-cutedsl", 90, 1, NO),
        ("nccl", 90, 1, ReasonCode.UNSUPPORTED_BACKEND),
    ],
)
def test_backend_by_machine(asked: str, sm: int, nodes: int, expected: str | ReasonCode) -> None:
    """SM90 on one node: trtllm; SM100 and SM103: mnnvl; anything else is refused."""
    answer = resolve_backend(asked, Topology(sm=sm, nodes=nodes))

    assert expected == (answer.reason if isinstance(answer, Refusal) else answer)


def test_mnnvl_is_refused_where_multicast_is_known_to_be_missing() -> None:
    answer = resolve_backend("mnnvl", Topology(sm=100, multicast=False))

    assert isinstance(answer, Refusal)
    assert answer.reason is NO
    assert resolve_backend("trtllm", Topology(sm=100, multicast=False)) == "trtllm"


@pytest.mark.parametrize(
    ("topology", "world_size", "expected"),
    [
        (Topology(sm=100), 8, 8),
        (Topology(sm=100, nodes=2), 8, 4),
        (Topology(sm=100, nodes=3), 8, 3),
        (Topology(sm=100, gpus_per_node=4), 8, 4),
        (Topology(sm=100, gpus_per_node=8), 2, 2),
    ],
)
def test_ranks_on_one_node(topology: Topology, world_size: int, expected: int) -> None:
    assert topology.local_ranks(world_size) == expected


@pytest.mark.parametrize(
    ("ranks", "nodes"), [([0, 1, 2, 3], 1), ([6, 7, 8, 9], 2), ([0, 8], 2), (range(16), 2)]
)
def test_a_machine_is_read_from_cuda(
    monkeypatch: pytest.MonkeyPatch, ranks: list[int], nodes: int
) -> None:
    """With eight devices a node, ranks are on the node of their number divided by eight."""
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "get_device_capability", lambda: (10, 3))
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 8)

    assert read_topology(ranks) == Topology(sm=103, nodes=nodes)


def test_without_cuda_there_is_no_machine_to_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)

    answer = read_topology([0, 1])

    assert isinstance(answer, Refusal)
    assert answer.reason is NO
