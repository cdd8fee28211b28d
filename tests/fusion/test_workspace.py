from __future__ import annotations

import gc
import logging
import weakref
from typing import TYPE_CHECKING, Any

import pytest
import torch

from flashinfer_comm_fusion import FlashInferWorkspaceManager, ReasonCode, Settings, Topology
from flashinfer_comm_fusion.consensus import Council
from flashinfer_comm_fusion.status import logger
from fusion.upstreams import MnnvlWorkspace, TorchDistBackend, TrtllmWorkspace

if TYPE_CHECKING:
    from collections.abc import Callable

    from fusion.conftest import Group, Ranks
    from fusion.upstreams import FakeUpstream

BF16, FP32 = torch.bfloat16, torch.float32


def manager(sm: int = 90, **settings: Any) -> FlashInferWorkspaceManager:
    options = {"topology": Topology(sm=sm), "is_capturing": lambda: False, **settings}
    return FlashInferWorkspaceManager(Settings(**options))


def initialize(
    target: FlashInferWorkspaceManager,
    group: Group,
    tokens: int = 64,
    hidden: int = 1024,
    **options: Any,
) -> ReasonCode | None:
    options = {"dtype": BF16, "device_group": group.device_group, **options}
    target.initialize(
        group.world_size,
        group.rank_in_group,
        tokens,
        hidden,
        cpu_group=group.cpu_group,
        **options,
    )
    return target.status.reason


def test_a_workspace_says_what_it_was_made_for(upstream: FakeUpstream, ranks: Ranks) -> None:
    made = manager()

    assert initialize(made, ranks.whole) is None
    assert isinstance(made.workspace, TrtllmWorkspace)
    assert made.initialized
    assert (made.world_size, made.rank, made.group) == (4, 2, ranks.whole.key)
    assert (made.max_token_num, made.hidden_dim, made.dtype) == (64, 1024, BF16)
    assert (made.backend, made.use_fp32_lamport) == ("trtllm", False)
    status = made.status
    assert (status.active, status.backend, status.upstream_version) == (True, "trtllm", "9.9.9")
    assert status.capabilities is not None
    assert status.capabilities.group
    assert status.size_check.startswith("TrtllmWorkspace.is_buffer_size_sufficient(use_oneshot=")
    assert upstream.warnings == 0


@pytest.mark.parametrize(("sm", "backend"), [(90, "trtllm"), (100, "mnnvl")])
def test_creation_is_sent_what_matters_and_nothing_else(
    upstream: FakeUpstream, ranks: Ranks, sm: int, backend: str
) -> None:
    """The group always, a real TorchDistBackend over it, and no FP32-Lamport switch."""
    initialize(manager(sm), ranks.upper, use_fp32_lamport=True)

    (sent,) = upstream.created
    comm_backend = sent.pop("comm_backend")
    assert isinstance(comm_backend, TorchDistBackend)
    assert comm_backend._group is ranks.upper.device_group
    assert sent == {
        "backend": backend,
        "world_size": 2,
        "rank": 0,
        "max_token_num": 64,
        "hidden_dim": 1024,
        "dtype": BF16,
        "gpus_per_node": 2,
        "force_oneshot_support": False,
        "group": ranks.upper.device_group,
    }


def test_fp32_lamport_without_a_dtype_stands_for_float32(
    upstream: FakeUpstream, ranks: Ranks
) -> None:
    made = manager()
    initialize(made, ranks.whole, dtype=None, use_fp32_lamport=True)

    assert upstream.created[0]["dtype"] is FP32
    assert (made.dtype, made.use_fp32_lamport) == (FP32, True)


def test_an_upstream_without_group_is_sent_none_and_says_so(
    upstream: FakeUpstream, ranks: Ranks
) -> None:
    def without_group(
        backend: str,
        world_size: int,
        rank: int,
        max_token_num: int,
        hidden_dim: int,
        dtype: torch.dtype,
        gpus_per_node: int | None = None,
        comm_backend: Any = None,
    ) -> Any:
        return upstream.create(backend, world_size, rank, max_token_num, hidden_dim, dtype)

    upstream.comm.create_allreduce_fusion_workspace = without_group
    made = manager()

    assert initialize(made, ranks.whole, use_oneshot=True) is None
    assert made.status.dropped == (
        "create_allreduce_fusion_workspace:group",
        "create_allreduce_fusion_workspace:force_oneshot_support",
    )


def test_a_subgroup_is_refused_where_it_would_meet_over_world(
    upstream: FakeUpstream, ranks: Ranks
) -> None:
    def without_group(backend: str, comm_backend: Any = None, **rest: Any) -> Any:
        raise AssertionError("nothing may be created")

    upstream.comm.create_allreduce_fusion_workspace = without_group

    assert initialize(manager(), ranks.upper) is ReasonCode.RENDEZVOUS_UNKNOWN


def test_an_upstream_that_requires_something_unknown_is_refused(
    upstream: FakeUpstream, ranks: Ranks
) -> None:
    def demanding(backend: str, world_size: int, topology: str) -> Any:
        raise AssertionError("nothing may be created")

    upstream.comm.create_allreduce_fusion_workspace = demanding
    made = manager()

    assert initialize(made, ranks.whole) is ReasonCode.NO_UNIFIED_API
    assert made.status.detail.endswith("create_allreduce_fusion_workspace:topology")


def test_asking_again_for_what_fits_makes_nothing(upstream: FakeUpstream, ranks: Ranks) -> None:
    made = manager()
    for tokens, hidden in ((64, 1024), (64, 1024), (32, 2048), (1, 8)):
        initialize(made, ranks.whole, tokens, hidden)

    assert len(upstream.created) == 1
    assert upstream.warnings == 0


def test_growth_replaces_the_workspace_by_one_for_everything_seen(
    upstream: FakeUpstream, ranks: Ranks
) -> None:
    made = manager()
    initialize(made, ranks.whole, 64, 1024)
    initialize(made, ranks.whole, 16, 8192)
    initialize(made, ranks.whole, 8, 8)

    assert [(each["max_token_num"], each["hidden_dim"]) for each in upstream.created] == [
        (64, 1024),
        (64, 8192),
    ]
    assert upstream.destroyed == 1
    assert (made.max_token_num, made.hidden_dim) == (64, 8192)


def test_sizes_outlive_a_cleanup(upstream: FakeUpstream, ranks: Ranks) -> None:
    made = manager()
    initialize(made, ranks.whole, 64, 1024)
    made.cleanup()
    initialize(made, ranks.whole, 8, 512)

    assert (upstream.created[-1]["max_token_num"], upstream.created[-1]["hidden_dim"]) == (64, 1024)


def test_a_one_shot_choice_that_does_not_fit_grows_an_mnnvl_workspace_once(
    upstream: FakeUpstream, ranks: Ranks
) -> None:
    made = manager(100)
    initialize(made, ranks.whole, 256, 8192)
    assert not made.is_buffer_size_sufficient(256, 8192, BF16, use_oneshot=True)

    initialize(made, ranks.whole, 256, 8192, use_oneshot=True)
    initialize(made, ranks.whole, 256, 8192, use_oneshot=True)

    assert made.is_buffer_size_sufficient(256, 8192, BF16, use_oneshot=True)
    assert [each["force_oneshot_support"] for each in upstream.created] == [False, True]


def test_a_workspace_that_does_not_fit_its_own_size_is_not_made_again_and_again(
    upstream: FakeUpstream, ranks: Ranks, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = manager()
    monkeypatch.setattr(TrtllmWorkspace, "is_buffer_size_sufficient", lambda self, **_: False)
    for _ in range(3):
        initialize(made, ranks.whole)

    assert len(upstream.created) == 1


def test_a_refused_request_is_not_voted_on_again(
    upstream: FakeUpstream, ranks: Ranks, monkeypatch: pytest.MonkeyPatch
) -> None:
    """CuTe DSL has no float16 kernels; every layer may ask, the ranks vote once."""
    votes: list[bool | None] = []

    def vote(_: Council, ballot: Callable[[], bool | None]) -> bool:
        votes.append(ballot())
        return bool(votes[-1])

    monkeypatch.setattr(Council, "agree", vote)
    made = manager(100)
    for _ in range(3):
        initialize(made, ranks.whole, backend="mnnvl-cutedsl", dtype=torch.float16)

    assert made.status.reason is ReasonCode.UNSUPPORTED_DTYPE
    assert votes == [False]
    assert upstream.created == []


@pytest.mark.usefixtures("upstream")
def test_arithmetic_that_the_validator_does_not_share_is_not_used(
    ranks: Ranks, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A threshold that moved elsewhere: eager mode follows the validator, compiled code refuses."""
    monkeypatch.setattr("fusion.upstreams.MNNVL_ONE_SHOT_THRESHOLD", 1 << 19)
    made = manager(100)
    initialize(made, ranks.whole, 26, 5120)

    assert made.is_buffer_size_sufficient(27, 5120, BF16)
    assert "torch.compile" in made.status.detail
    monkeypatch.setattr(torch.compiler, "is_compiling", lambda: True)
    assert not made.is_buffer_size_sufficient(1, 5120, BF16)


def test_another_group_gets_another_workspace(upstream: FakeUpstream, ranks: Ranks) -> None:
    made = manager()
    initialize(made, ranks.whole)
    initialize(made, ranks.upper)

    assert [each["world_size"] for each in upstream.created] == [4, 2]
    assert made.group == ranks.upper.key


@pytest.mark.parametrize("error", [RuntimeError("no"), torch.OutOfMemoryError("no"), KeyError("x")])
def test_a_failed_creation_is_final(
    upstream: FakeUpstream, ranks: Ranks, caplog: pytest.LogCaptureFixture, error: Exception
) -> None:
    """No retry per layer, no retry after a cleanup, one record, at error level."""
    upstream.error = error
    made = manager()
    for tokens in (64, 64, 128):
        assert initialize(made, ranks.whole, tokens) is ReasonCode.CREATE_FAILED
    upstream.error = None
    made.cleanup()
    initialize(made, ranks.whole)

    assert len(upstream.created) == 1
    assert made.is_out
    assert not made.initialized
    assert made.status.reason is ReasonCode.CREATE_FAILED
    assert [record.levelno for record in caplog.records] == [logging.ERROR]


def test_a_guessed_call_that_is_rejected_says_that_the_signature_is_unreadable(
    upstream: FakeUpstream, ranks: Ranks
) -> None:
    def hidden(*args: Any, **kwargs: Any) -> Any:
        raise TypeError("unexpected keyword argument 'gpus_per_node'")

    upstream.comm.create_allreduce_fusion_workspace = hidden

    assert initialize(manager(), ranks.whole) is ReasonCode.SIGNATURE_UNREADABLE


def test_nothing_is_a_workspace(upstream: FakeUpstream, ranks: Ranks) -> None:
    upstream.comm.create_allreduce_fusion_workspace = lambda backend, group=None: None

    assert initialize(manager(), ranks.whole) is ReasonCode.CREATE_RETURNED_NONE


def test_a_null_multicast_pointer_is_given_back(upstream: FakeUpstream, ranks: Ranks) -> None:
    """Such a workspace is not None, and its kernels fault."""
    upstream.multicast_pointer = 0

    assert initialize(manager(100), ranks.whole) is ReasonCode.NULL_MULTICAST
    assert upstream.destroyed == 1


def test_without_a_size_check_there_is_nobody_to_say_yes(
    upstream: FakeUpstream, ranks: Ranks, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr(TrtllmWorkspace, "is_buffer_size_sufficient")

    assert initialize(manager(), ranks.whole) is ReasonCode.NO_SIZE_CHECK
    assert upstream.destroyed == 1


def test_a_size_check_that_raises_for_its_own_size_is_none(
    upstream: FakeUpstream, ranks: Ranks, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(TrtllmWorkspace, "is_buffer_size_sufficient", lambda self, **_: self.gone)
    made = manager()

    # Its parameters are hidden too: the base names are sent.
    assert initialize(made, ranks.whole) is ReasonCode.NO_SIZE_CHECK
    assert "AttributeError" in made.status.detail
    assert upstream.destroyed == 1


@pytest.mark.parametrize("name", [None, "trtllm_v2", 3])
def test_a_workspace_that_does_not_say_its_backend_is_what_was_asked_for(
    upstream: FakeUpstream, ranks: Ranks, monkeypatch: pytest.MonkeyPatch, name: Any
) -> None:
    monkeypatch.setattr(TrtllmWorkspace, "backend", name)
    made = manager()

    assert initialize(made, ranks.whole) is None
    assert made.backend == "trtllm"
    assert "workspace:backend" in made.status.dropped
    assert upstream.destroyed == 0


@pytest.mark.parametrize("metadata", [None, {}, {"max_tokens": 64}])
@pytest.mark.usefixtures("upstream")
def test_without_metadata_the_validator_answers_and_compiled_code_does_without(
    ranks: Ranks, monkeypatch: pytest.MonkeyPatch, metadata: Any
) -> None:
    class Opaque(TrtllmWorkspace):
        def __init__(self, *arguments: Any) -> None:
            super().__init__(*arguments)
            self._known, self.metadata = self.metadata, metadata

        def is_buffer_size_sufficient(self, *arguments: Any, **named: Any) -> bool:
            self.metadata = self._known
            answer = super().is_buffer_size_sufficient(*arguments, **named)
            self.metadata = metadata
            return answer

    monkeypatch.setattr("fusion.upstreams.TrtllmWorkspace", Opaque)
    made = manager()
    initialize(made, ranks.whole)

    assert made.use_fp32_lamport is None
    assert made.is_buffer_size_sufficient(64, 1024, BF16)
    assert not made.is_buffer_size_sufficient(65, 1024, BF16)
    assert "torch.compile" in made.status.detail
    monkeypatch.setattr(torch.compiler, "is_compiling", lambda: True)
    assert not made.is_buffer_size_sufficient(64, 1024, BF16)


def test_a_capture_starts_nothing_and_latches_nothing(
    upstream: FakeUpstream, ranks: Ranks, caplog: pytest.LogCaptureFixture
) -> None:
    capturing = True
    made = manager(is_capturing=lambda: capturing)
    for _ in range(3):
        assert initialize(made, ranks.whole) is ReasonCode.CAPTURING
    assert upstream.created == []
    assert len(caplog.records) == 1

    capturing = False
    assert initialize(made, ranks.whole) is None
    capturing = True
    initialize(made, ranks.whole, 4096)
    assert made.status.active, "a capture must not take the workspace that its graph uses"
    assert len(upstream.created) == 1


@pytest.mark.parametrize("dtype", [torch.float64, torch.int32, torch.float8_e4m3fn])
def test_a_dtype_without_kernels_leaves_a_good_workspace_alone(
    upstream: FakeUpstream, ranks: Ranks, dtype: torch.dtype
) -> None:
    made = manager()
    assert initialize(made, ranks.whole, dtype=dtype) is ReasonCode.UNSUPPORTED_DTYPE
    assert initialize(made, ranks.whole) is None
    initialize(made, ranks.whole, dtype=dtype)

    assert made.status.active
    assert len(upstream.created) == 1


@pytest.mark.parametrize("world_size", [1, 0])
@pytest.mark.usefixtures("upstream")
def test_one_rank_has_nothing_to_reduce(world_size: int) -> None:
    made = manager()
    made.initialize(world_size, 0, 64, 1024)

    assert made.status.reason is ReasonCode.SINGLE_RANK


def test_cleanup_is_idempotent_and_lets_go_of_everything(
    upstream: FakeUpstream, ranks: Ranks
) -> None:
    """The MNNVL class caches its size check by workspace; the cache must not keep it alive."""
    made = manager(100)
    initialize(made, ranks.whole)
    made.is_buffer_size_sufficient(3, 64, BF16)
    assert isinstance(made.workspace, MnnvlWorkspace)
    remains = weakref.ref(made.workspace)

    made.cleanup()
    made.cleanup()
    gc.collect()

    assert upstream.destroyed == 1
    assert remains() is None
    assert made.status.reason is ReasonCode.NO_WORKSPACE
    assert not made.initialized
    assert [name for name in ("workspace", "group", "backend", "gate") if getattr(made, name)] == []
    assert not made.is_buffer_size_sufficient(1, 8, BF16)


def test_a_destroy_that_raises_is_survived_and_said(
    upstream: FakeUpstream,
    ranks: Ranks,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    def raising(_: object) -> None:
        raise RuntimeError("driver shut down")

    monkeypatch.setattr(TrtllmWorkspace, "destroy", raising)
    made = manager()
    initialize(made, ranks.whole)
    made.cleanup()

    assert made.workspace is None
    assert "driver shut down" in made.status.detail
    assert [r.levelno for r in caplog.records if r.name == logger.name] == [
        logging.INFO,
        logging.WARNING,
    ]
    assert initialize(made, ranks.whole) is None
    assert len(upstream.created) == 2


def test_a_workspace_that_cannot_be_destroyed_is_noted_when_it_is_made(
    upstream: FakeUpstream, ranks: Ranks, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr(TrtllmWorkspace, "destroy")
    made = manager()
    initialize(made, ranks.whole)

    assert made.status.active
    assert "workspace:destroy" in made.status.dropped
    made.cleanup()
    assert made.workspace is None
    assert upstream.destroyed == 0
