"""The API that predates the unified one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
import torch

from stubs.children import outcome

if TYPE_CHECKING:
    from stubs.children import Child, InStub

# Deprecated since the unified API came.
pytestmark = pytest.mark.filterwarnings("ignore:use the unified API:DeprecationWarning")
BF16 = torch.bfloat16


def create(child: Child, **flags: Any) -> Any:
    return child.comm.trtllm_create_ipc_workspace_for_all_reduce_fusion(
        tp_rank=0, tp_size=4, max_token_num=16, hidden_dim=64, **flags
    )


@pytest.mark.parametrize(
    ("name", "flags", "values"),
    [
        ("v0_2_8", {}, 2),
        ("v0_5_0", {}, 2),
        ("v0_5_0", {"create_metadata": True}, 3),
        ("v0_6_0", {"create_metadata": True}, 3),
        ("v0_6_0", {"create_metadata": True, "use_symm_dev_mem": True}, 4),
        ("v0_7_4", {"create_metadata": True, "use_symm_dev_mem": True}, 4),
    ],
)
def test_how_many_values_come_back(
    in_stub: InStub, name: str, flags: dict[str, bool], values: int
) -> None:
    assert values == in_stub(name, lambda child: len(create(child, **flags)))


def test_create_metadata_came_with_0_5_0(in_stub: InStub) -> None:
    def ask(child: Child) -> str:
        return outcome(create, child, create_metadata=True)

    assert in_stub("v0_4_0", ask) == "TypeError"


def reduce_rows(child: Child, workspace: torch.Tensor, rows: torch.Tensor, **more: Any) -> Any:
    nothing = dict.fromkeys(
        (
            *("residual_in", "residual_out", "norm_out", "quant_out", "scale_out", "rms_gamma"),
            *("rms_eps", "scale_factor", "layout_code"),
        )
    )
    child.comm.trtllm_allreduce_fusion(
        allreduce_in=rows,
        world_size=4,
        world_rank=0,
        token_num=rows.shape[0],
        hidden_dim=rows.shape[1],
        workspace_ptrs=workspace,
        launch_with_pdl=False,
        trigger_completion_at_end=True,
        fp32_acc=True,
        pattern_code=0,
        allreduce_out=(out := torch.empty_like(rows)),
        **{"use_oneshot": True, **nothing, **more},
    )
    return out


@pytest.mark.parametrize("name", ["v0_2_8", "v0_4_0", "v0_5_0", "v0_6_12"])
def test_it_sums(in_stub: InStub, name: str) -> None:
    def ask(child: Child) -> float:
        return float(reduce_rows(child, create(child)[1], torch.ones(8, 64, dtype=BF16))[0, 0])

    assert in_stub(name, ask) == 4.0


@pytest.mark.parametrize(
    ("name", "expected"),
    [("v0_5_0", ["ok", "ValueError", "ValueError"]), ("v0_6_12", ["ok", "ok", "ValueError"])],
)
def test_the_check_inside_the_call_was_stricter(
    in_stub: InStub, name: str, expected: list[str]
) -> None:
    """Made for 16 x 64: another hidden size of fewer elements was refused before 0.6.0."""

    def ask(child: Child) -> list[str]:
        _, tensor, metadata = create(child, create_metadata=True)
        return [
            outcome(reduce_rows, child, tensor, torch.ones(*size, dtype=BF16), metadata=metadata)
            for size in ((16, 64), (8, 128), (17, 64))
        ]

    assert expected == in_stub(name, ask)


def test_nothing_was_checked_in_0_2_8(in_stub: InStub) -> None:
    def ask(child: Child) -> str:
        return outcome(reduce_rows, child, create(child)[1], torch.ones(99, 64, dtype=BF16))

    assert in_stub("v0_2_8", ask) == "ok"


def test_destroying_frees(in_stub: InStub) -> None:
    def ask(child: Child) -> list[int]:
        handles = create(child)[0]
        before = child.core.live_handles()
        child.comm.trtllm_destroy_ipc_workspace_for_all_reduce(handles)
        return [before, child.core.live_handles()]

    assert in_stub("v0_5_0", ask) == [3, 0]


@pytest.mark.parametrize("name", ["v0_2_9", "v0_4_0"])
def test_few_tokens_were_one_shot_before_there_was_a_table(in_stub: InStub, name: str) -> None:
    """trtllm_ar.py of 0.2.9, 0.2.14.post1 and 0.4.1: without a hint, 128 tokens at the most."""

    def ask(child: Child) -> list[bool]:
        made = child.comm.trtllm_create_ipc_workspace_for_all_reduce_fusion(
            tp_rank=0, tp_size=4, max_token_num=256, hidden_dim=64
        )
        for tokens in (128, 129):
            reduce_rows(child, made[1], torch.ones(tokens, 64, dtype=BF16), use_oneshot=None)
        return [data["use_oneshot"] for data in child.seen("kernel")]

    assert in_stub(name, ask) == [True, False]
