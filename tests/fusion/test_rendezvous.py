from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
import torch.distributed as dist

from flashinfer_comm_fusion.binding import SignatureState
from flashinfer_comm_fusion.capabilities import Capabilities
from flashinfer_comm_fusion.rendezvous import check_subgroup, covers_world, group_ranks
from flashinfer_comm_fusion.status import ReasonCode

if TYPE_CHECKING:
    from fusion.conftest import Ranks

NEWEST = Capabilities(
    create_signature=SignatureState.READABLE,
    all_reduce_signature=SignatureState.READABLE,
    group=True,
    comm_backend=True,
    trigger_completion_at_end=True,
    torch_symmetric_memory=True,
    torch_dist_backend="flashinfer.comm.mnnvl.TorchDistBackend",
    cutedsl_option=True,
    oneshot_mib=((2, 512), (4, 64), (8, 42)),
)
# Before `group`, with and without the module that brought rendezvous over WORLD: equal signatures.
WITH_SYMMETRIC_MEMORY = replace(NEWEST, group=False)
BEFORE_IT = replace(NEWEST, group=False, torch_symmetric_memory=False)
WORLD = ReasonCode.RENDEZVOUS_WORLD
UNKNOWN = ReasonCode.RENDEZVOUS_UNKNOWN


@pytest.mark.parametrize(
    ("shape", "backend", "expected"),
    [
        (BEFORE_IT, "trtllm", None),
        (BEFORE_IT, "mnnvl", None),
        (WITH_SYMMETRIC_MEMORY, "trtllm", WORLD),
        (WITH_SYMMETRIC_MEMORY, "mnnvl", None),
        (NEWEST, "trtllm", None),
        (NEWEST, "mnnvl", None),
        (NEWEST, "mnnvl-cutedsl", None),
        (WITH_SYMMETRIC_MEMORY, "mnnvl-cutedsl", WORLD),
        (replace(BEFORE_IT, comm_backend=False), "trtllm", WORLD),
        (replace(NEWEST, comm_backend=False), "mnnvl", UNKNOWN),
        (replace(NEWEST, torch_dist_backend=""), "mnnvl", UNKNOWN),
        (replace(BEFORE_IT, torch_dist_backend=""), "mnnvl", None),
        (replace(NEWEST, torch_dist_backend=""), "trtllm", None),
    ],
)
def test_a_strict_subgroup_by_shape(
    shape: Capabilities, backend: str, expected: ReasonCode | None
) -> None:
    """The table of over which peers releases rendezvous, told apart by shape alone."""
    refusal = check_subgroup(backend, shape)

    assert expected == (refusal.reason if refusal else None)


@pytest.mark.parametrize("state", [SignatureState.UNREADABLE, SignatureState.VAR_KEYWORDS])
@pytest.mark.parametrize("backend", ["trtllm", "mnnvl", "mnnvl-cutedsl"])
def test_a_strict_subgroup_is_refused_where_the_signature_does_not_tell(
    state: SignatureState, backend: str
) -> None:
    refusal = check_subgroup(backend, replace(NEWEST, create_signature=state, group=False))

    assert refusal is not None
    assert refusal.reason is UNKNOWN


def test_all_of_world_is_told_by_ranks_and_not_by_size(ranks: Ranks) -> None:
    assert group_ranks(ranks.whole.device_group, 4) == [0, 1, 2, 3]
    assert group_ranks(ranks.upper.device_group, 2) == [2, 3]
    assert covers_world([0, 1, 2, 3])
    assert not covers_world([2, 3])
    assert not covers_world([0, 1, 3, 2])


def test_a_group_of_another_size_than_the_engine_says_is_not_known(ranks: Ranks) -> None:
    assert group_ranks(ranks.upper.device_group, 4) is None
    assert group_ranks(None, 2) is None
    assert group_ranks(None, 4) == [0, 1, 2, 3]


def test_without_torch_distributed_a_group_is_all_there_is() -> None:
    assert not dist.is_initialized()
    assert group_ranks(None, 2) == [0, 1]
    assert covers_world([0, 1])
