from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
import torch

import flashinfer_comm_fusion as fusion
from flashinfer_comm_fusion import ReasonCode, Topology
from fusion import upstreams

if TYPE_CHECKING:
    from fusion.conftest import Ranks
    from fusion.upstreams import FakeUpstream

BF16 = torch.bfloat16


def configure(ranks: Ranks, **options: Any) -> None:
    defaults = {
        "attn_tp_group": ranks.whole,
        "topology": Topology(sm=90),
        "is_capturing": lambda: False,
    }
    fusion.configure(**{**defaults, **options})


def test_before_configuration_everything_is_off_and_says_so(upstream: FakeUpstream) -> None:
    assert not fusion.ensure_workspace_initialized()
    fusion.pre_initialize_workspaces(64, 1024, BF16)
    fusion.cleanup_flashinfer_workspace()

    assert fusion.fusion_status().reason is ReasonCode.NOT_CONFIGURED
    assert fusion.resolve_flashinfer_allreduce_fusion_backend() is None
    assert not fusion.is_flashinfer_allreduce_unavailable()
    assert upstream.created == []


def test_a_configured_engine_has_no_workspace_yet(upstream: FakeUpstream, ranks: Ranks) -> None:
    """Configuring reads nothing upstream, and neither does asking for the status."""
    configure(ranks)

    status = fusion.fusion_status()
    assert (status.active, status.reason) == (False, ReasonCode.NO_WORKSPACE)
    assert status.capabilities is None
    assert upstream.created == []


def test_both_groups_get_a_workspace_before_capture(upstream: FakeUpstream, ranks: Ranks) -> None:
    configure(ranks, moe_tp_group=ranks.upper)
    fusion.pre_initialize_workspaces(64, 1024, BF16)

    assert sorted(each["world_size"] for each in upstream.created) == [2, 4]
    assert fusion.fusion_status(use_attn_tp_group=True).active
    assert fusion.fusion_status(use_attn_tp_group=False).active
    fusion.cleanup_flashinfer_workspace()
    assert upstream.destroyed == 2
    assert fusion.fusion_status(use_attn_tp_group=False).reason is ReasonCode.NO_WORKSPACE


def test_without_a_moe_group_the_attention_workspace_is_shared(
    upstream: FakeUpstream, ranks: Ranks
) -> None:
    configure(ranks)
    fusion.pre_initialize_workspaces(64, 1024, BF16)

    assert len(upstream.created) == 1
    assert fusion.fusion_status(use_attn_tp_group=False).active


def test_ensure_tells_whether_the_tokens_fit(upstream: FakeUpstream, ranks: Ranks) -> None:
    configure(ranks)

    assert fusion.ensure_workspace_initialized(64, 1024, dtype=BF16)
    assert fusion.ensure_workspace_initialized(64, 1024, dtype=BF16, token_num=8)
    assert fusion.ensure_workspace_initialized(64, 1024, dtype=BF16, token_num=128)
    assert [each["max_token_num"] for each in upstream.created] == [64, 128]


def test_a_failed_group_does_not_take_the_other_with_it(
    upstream: FakeUpstream, ranks: Ranks
) -> None:
    configure(ranks, moe_tp_group=ranks.upper)
    upstream.error = RuntimeError("no")
    assert not fusion.ensure_workspace_initialized(64, 1024, use_attn_tp_group=False)
    upstream.error = None

    assert fusion.ensure_workspace_initialized(64, 1024)
    assert not fusion.is_flashinfer_allreduce_unavailable()


def test_fusion_is_unavailable_when_all_groups_have_failed(
    upstream: FakeUpstream, ranks: Ranks
) -> None:
    configure(ranks)
    upstream.error = RuntimeError("no")
    fusion.pre_initialize_workspaces(64, 1024, BF16)

    assert fusion.is_flashinfer_allreduce_unavailable()
    fusion.reset()
    assert not fusion.is_flashinfer_allreduce_unavailable()


def test_fusion_is_unavailable_without_an_upstream(monkeypatch: pytest.MonkeyPatch) -> None:
    upstreams.uninstall(monkeypatch)

    assert fusion.is_flashinfer_allreduce_unavailable()


def test_reset_forgets_a_failure(upstream: FakeUpstream, ranks: Ranks) -> None:
    upstream.error = RuntimeError("no")
    configure(ranks)
    assert not fusion.ensure_workspace_initialized(64, 1024)
    upstream.error = None
    fusion.reset()
    configure(ranks)

    assert fusion.ensure_workspace_initialized(64, 1024)


def test_configuring_anew_gives_up_the_old_workspaces(upstream: FakeUpstream, ranks: Ranks) -> None:
    configure(ranks)
    fusion.ensure_workspace_initialized(64, 1024)
    configure(ranks)

    assert upstream.destroyed == 1
    assert not fusion.fusion_status().active


def test_a_manager_made_by_hand_is_the_engines(upstream: FakeUpstream, ranks: Ranks) -> None:
    """It runs on the machine that the engine named, until there is no engine."""
    configure(ranks, topology=Topology(sm=100), is_capturing=lambda: True)

    def initialize() -> ReasonCode | None:
        manager = fusion.FlashInferWorkspaceManager()
        group = ranks.whole
        manager.initialize(4, 2, 64, 1024, device_group=group.device_group, group=group.cpu_group)
        manager.cleanup()
        return manager.status.reason

    assert initialize() is ReasonCode.CAPTURING
    configure(ranks, topology=Topology(sm=100))
    assert initialize() is ReasonCode.NO_WORKSPACE
    assert [each["backend"] for each in upstream.created] == ["mnnvl"]


def test_no_backend_is_no_fusion(upstream: FakeUpstream, ranks: Ranks) -> None:
    configure(ranks, backend=None)

    assert not fusion.ensure_workspace_initialized(64, 1024)
    assert fusion.fusion_status().reason is ReasonCode.DISABLED
    assert fusion.resolve_flashinfer_allreduce_fusion_backend() is None
    assert upstream.created == []


@pytest.mark.parametrize(
    ("backend", "topology", "expected"),
    [
        ("auto", Topology(sm=90), "trtllm"),
        ("auto", Topology(sm=103, nodes=2), "mnnvl"),
        ("auto", Topology(sm=90, nodes=2), None),
        ("mnnvl", Topology(sm=90), "mnnvl"),
        ("trtllm", Topology(sm=120), None),
    ],
)
@pytest.mark.usefixtures("upstream")
def test_the_backend_is_resolved_without_raising(
    ranks: Ranks, backend: str, topology: Topology, expected: str | None
) -> None:
    configure(ranks, backend=backend, topology=topology)

    assert fusion.resolve_flashinfer_allreduce_fusion_backend() == expected


@pytest.mark.usefixtures("upstream")
def test_a_machine_that_cannot_be_read_is_refused(
    ranks: Ranks, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    configure(ranks, topology=None, is_capturing=None)

    assert fusion.resolve_flashinfer_allreduce_fusion_backend() is None
    assert not fusion.ensure_workspace_initialized(64, 1024)
    assert fusion.fusion_status().reason is ReasonCode.UNSUPPORTED_TOPOLOGY
