from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
import torch
from torch._dynamo.testing import CompileCounter

import flashinfer_comm_fusion as fusion
from flashinfer_comm_fusion import Topology
from flashinfer_comm_fusion.engine import live_gate
from fusion.test_engine import configure
from fusion.upstreams import MnnvlWorkspace

if TYPE_CHECKING:
    from collections.abc import Callable

    from fusion.conftest import Group, Ranks
    from fusion.upstreams import FakeUpstream

BF16, FP32 = torch.bfloat16, torch.float32


@pytest.fixture
def engine(ranks: Ranks, upstream: FakeUpstream) -> FakeUpstream:
    """SM90 with a workspace for 64 x 1024 of bfloat16 over four ranks."""
    configure(ranks)
    fusion.pre_initialize_workspaces(64, 1024, BF16)
    upstream.checks.clear()
    return upstream


def can_use(tensor: torch.Tensor, group: Group) -> bool:
    return fusion.can_use_flashinfer_allreduce(
        tensor,
        use_attn_tp_group=True,
        expected_world_size=group.world_size,
        expected_group_key=group.key,
    )


def rows(tokens: int, hidden: int = 1024, dtype: torch.dtype = BF16) -> torch.Tensor:
    return torch.ones(tokens, hidden, dtype=dtype)


def test_the_decision_follows_the_validator(engine: FakeUpstream, ranks: Ranks) -> None:
    assert can_use(rows(64), ranks.whole)
    assert can_use(rows(32, 2048), ranks.whole)
    assert not can_use(rows(65), ranks.whole)
    assert not can_use(rows(8, dtype=FP32), ranks.whole)
    assert engine.warnings == 0


def test_another_group_of_as_many_ranks_is_another_group(
    engine: FakeUpstream, ranks: Ranks
) -> None:
    """Equal sizes do not make equal peers."""
    stranger = (ranks.whole.device_group, ranks.upper.cpu_group)

    assert not can_use(rows(8), ranks.upper)
    assert not fusion.can_use_flashinfer_allreduce(
        rows(8), use_attn_tp_group=True, expected_world_size=4, expected_group_key=stranger
    )
    assert engine.checks == []


@pytest.mark.usefixtures("upstream")
def test_without_a_workspace_nothing_can_be_used(ranks: Ranks) -> None:
    assert not can_use(rows(8), ranks.whole)
    configure(ranks)
    assert not can_use(rows(8), ranks.whole)
    with pytest.raises(fusion.NoWorkspaceError, match="attention group"):
        fusion.flashinfer_allreduce(rows(8), use_attn_tp_group=True)


def test_the_sum_is_the_upstreams_and_the_call_says_everything(engine: FakeUpstream) -> None:
    total = fusion.flashinfer_allreduce(rows(8), use_attn_tp_group=True)

    assert torch.equal(total, rows(8) * 4)
    (sent,) = engine.kernels
    assert (sent["pattern"], sent["fp32_acc"], sent["trigger_completion_at_end"]) == (
        0,
        True,
        False,
    )
    assert sent["launch_with_pdl"]
    assert sent["use_oneshot"] is None


def test_a_kernel_error_is_not_swallowed(ranks: Ranks, upstream: FakeUpstream) -> None:
    """A rank on another path while its peers are in the kernel would hang them all."""

    def failing(
        input: Any,  # noqa: A002 - the upstream's name
        workspace: Any,
        pattern: Any,
        output: Any = None,
    ) -> None:
        raise RuntimeError("illegal memory access")

    upstream.comm.allreduce_fusion = failing
    configure(ranks)
    assert fusion.ensure_workspace_initialized(64, 1024)

    with pytest.raises(RuntimeError, match="illegal memory access"):
        fusion.flashinfer_allreduce(rows(8), use_attn_tp_group=True)


def fused(tokens: int = 8, hidden: int = 1024, dtype: torch.dtype = BF16, **options: Any) -> Any:
    generator = torch.Generator().manual_seed(0)
    tensor = torch.randn(tokens, hidden, generator=generator).to(dtype)
    residual = torch.randn(tokens, hidden, generator=generator).to(dtype)
    weight = torch.randn(hidden, generator=generator).to(dtype)
    outcome = fusion.flashinfer_allreduce_residual_rmsnorm(tensor, residual, weight, **options)
    return tensor, residual, weight, outcome


def test_the_fused_result_is_that_of_plain_torch(engine: FakeUpstream) -> None:
    tensor, residual, weight, (norm, summed) = fused(eps=1e-5)

    expected = tensor.double() * 4 + residual.double()
    torch.testing.assert_close(summed.double(), expected, rtol=1e-2, atol=1e-2)
    expected = torch.nn.functional.rms_norm(expected, (1024,), weight.double(), 1e-5)
    torch.testing.assert_close(norm.double(), expected, rtol=2e-2, atol=2e-2)
    (sent,) = engine.kernels
    assert (sent["pattern"], sent["rms_eps"], sent["fp32_acc"]) == (1, 1e-5, True)
    assert sent["trigger_completion_at_end"] is False


def test_what_the_caller_chooses_reaches_the_kernel(engine: FakeUpstream) -> None:
    fused(use_oneshot=True, trigger_completion_at_end=True, fp32_acc=False)

    (sent,) = engine.kernels
    assert (sent["use_oneshot"], sent["trigger_completion_at_end"]) == (True, True)
    assert sent["fp32_acc"] is False


def test_the_fused_call_makes_the_workspace_that_it_needs(
    ranks: Ranks, upstream: FakeUpstream
) -> None:
    configure(ranks)
    *_, (norm, _) = fused(max_token_num=32)

    assert norm is not None
    assert [(each["max_token_num"], each["hidden_dim"]) for each in upstream.created] == [
        (32, 1024)
    ]


@pytest.mark.parametrize(
    "change",
    [
        lambda x, r, w: (x.t(), r.t(), w[:8]),
        lambda x, r, w: (x, r.t().contiguous().t(), w),
        lambda x, r, w: (x, r[:4], w),
        lambda x, r, w: (x, r, w.float()),
        lambda x, r, w: (x, r.float(), w),
        lambda x, r, w: (x, r, w[:512]),
        lambda x, r, w: (x, r, w[None]),
        lambda x, r, w: (x[None], r[None], w),
        lambda x, r, w: (x[:0], r[:0], w),
        lambda x, r, w: (x, r.to("meta"), w),
    ],
)
def test_inputs_that_the_kernels_would_misread_are_not_served(
    engine: FakeUpstream, change: Callable[..., tuple[torch.Tensor, ...]]
) -> None:
    """A norm weight of another dtype was read as the input's, and gave wrong numbers."""
    tensor, residual, weight = change(rows(8), rows(8), torch.ones(1024, dtype=BF16))

    outcome = fusion.flashinfer_allreduce_residual_rmsnorm(tensor, residual, weight)
    assert outcome == (None, None)
    assert engine.kernels == []


def test_more_tokens_than_announced_are_not_served(engine: FakeUpstream) -> None:
    *_, outcome = fused(9, max_token_num=8)

    assert outcome == (None, None)
    assert engine.kernels == []


def test_two_shot_for_few_tokens_is_not_served(engine: FakeUpstream) -> None:
    """The dispatch asserts more tokens than ranks."""
    assert fused(4, use_oneshot=False)[-1] == (None, None)
    assert fused(5, use_oneshot=False)[-1] != (None, None)
    assert [sent["use_oneshot"] for sent in engine.kernels] == [False]


@pytest.mark.parametrize(
    ("serves", "plain", "fuses"),
    [
        ({"plain": False}, False, True),
        ({"fused": False}, True, False),
        ({"rms_eps": 1e-6}, True, True),
        ({"rms_eps": 1e-5}, True, False),
    ],
)
@pytest.mark.usefixtures("engine")
def test_a_workspace_serves_only_what_it_was_compiled_for(
    ranks: Ranks, serves: dict[str, Any], plain: bool, fuses: bool
) -> None:
    """A CuTe DSL workspace is all-reduce alone or fused, for one epsilon."""
    gate = live_gate(use_attn_tp_group=True)
    assert gate is not None
    gate.legality = replace(gate.legality, **serves)

    assert can_use(rows(8), ranks.whole) is plain
    assert (fused(eps=1e-6)[-1] != (None, None)) is fuses


def test_a_choice_that_the_size_check_was_not_told_is_not_told_the_kernel(
    ranks: Ranks, upstream: FakeUpstream, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Sized for the upstream's own choice, an MNNVL workspace need not hold another."""

    def renamed(
        self: MnnvlWorkspace, tp_size: int, num_tokens: int, hidden_dim: int, dtype: torch.dtype
    ) -> bool:
        return True

    monkeypatch.setattr(MnnvlWorkspace, "is_buffer_size_sufficient", renamed)
    configure(ranks, topology=Topology(sm=100))
    fused(use_oneshot=True)

    assert [sent["use_oneshot"] for sent in upstream.kernels] == [None]
    assert "is_buffer_size_sufficient:use_oneshot" in fusion.fusion_status().dropped


@pytest.mark.parametrize("name", ["all_reduce", "all_reduce_residual_rmsnorm"])
@pytest.mark.usefixtures("engine")
def test_the_ops_are_well_made(name: str) -> None:
    """Schema, fake implementation and dispatch, by torch's own checker."""
    arguments: dict[str, tuple[Any, ...]] = {
        "all_reduce": (rows(8), True),
        "all_reduce_residual_rmsnorm": (
            rows(8),
            rows(8),
            torch.ones(1024, dtype=BF16),
            1e-6,
            None,
            False,
            True,
            True,
        ),
    }
    op = getattr(torch.ops.flashinfer_comm_fusion, name).default

    torch.library.opcheck(op, arguments[name])


def reduce_or_double(group: Group) -> Callable[[torch.Tensor], torch.Tensor]:
    """A layer: fused where it can be, and otherwise something else that can be told apart."""

    def layer(tensor: torch.Tensor) -> torch.Tensor:
        if can_use(tensor, group):
            return fusion.flashinfer_allreduce(tensor, use_attn_tp_group=True)
        return tensor * 2

    return layer


@pytest.mark.parametrize(
    ("sm", "tokens", "hidden", "counts"),
    [
        # trtllm made for 64 x 1024, at the size and beyond it
        (90, 64, 1024, (3, 9, 17, 33, 63, 64, 65, 99, 1000)),
        # mnnvl made for 4 x 7168 on four ranks: one-shot to 4, two-shot of 16 rows from 19 on
        (100, 4, 7168, (2, 3, 4, 5, 8, 17, 18, 19, 20, 24, 28, 29, 64)),
    ],
)
def test_compiled_decisions_are_those_of_eager_mode(
    ranks: Ranks,
    upstream: FakeUpstream,
    sm: int,
    tokens: int,
    hidden: int,
    counts: tuple[int, ...],
) -> None:
    """Whole graphs, a few for all token counts, and nothing of the upstream traced into."""
    configure(ranks, topology=Topology(sm=sm))
    fusion.pre_initialize_workspaces(tokens, hidden, BF16)
    torch._dynamo.reset()
    counter = CompileCounter()
    layer = reduce_or_double(ranks.whole)
    compiled = torch.compile(layer, backend=counter, fullgraph=True, dynamic=True)
    upstream.checks.clear()

    answers = [compiled(rows(count, hidden))[0, 0].item() for count in counts]
    assert upstream.checks == [], "the validator was traced into"
    expected = [layer(rows(count, hidden))[0, 0].item() for count in counts]

    assert answers == expected
    assert set(expected) == {2.0, 4.0}, "the counts are on both sides"
    assert counter.frame_count <= 4


@pytest.mark.usefixtures("engine")
def test_the_fused_call_compiles_whole() -> None:
    torch._dynamo.reset()
    counter = CompileCounter()

    @torch.compile(backend=counter, fullgraph=True, dynamic=True)
    def layer(tensor: torch.Tensor, residual: torch.Tensor, weight: torch.Tensor) -> Any:
        norm, summed = fusion.flashinfer_allreduce_residual_rmsnorm(tensor, residual, weight)
        if norm is None or summed is None:
            return tensor, residual
        return norm, summed

    weight = torch.ones(1024, dtype=BF16)
    for count in (3, 9, 17, 33, 64):
        norm, summed = layer(rows(count), rows(count), weight)
        assert summed[0, 0].item() == 5.0
        assert norm.shape == (count, 1024)
    norm, _ = layer(rows(65), rows(65), weight)
    assert norm[0, 0].item() == 1.0
    assert counter.frame_count <= 3
