"""TRT-LLM's validator, creation and dispatch, against numbers worked by hand."""

from __future__ import annotations

import contextlib
import io
import logging
from typing import TYPE_CHECKING, Any

import pytest
import torch

from stubs.children import outcome

if TYPE_CHECKING:
    from stubs.children import Child, InStub

UNIFIED = ["v0_6_0", "v0_6_8", "v0_6_10_post1", "v0_6_12", "v0_6_18", "v0_7_4"]


@pytest.mark.parametrize("name", UNIFIED)
def test_fits_by_total_elements_rank_count_and_lamport_mode(in_stub: InStub, name: str) -> None:
    """A 2048 x 4096 workspace holds 1024 x 8192; one element more, other ranks or fp32 not."""

    def ask(child: Child) -> list[bool]:
        check = child.create("trtllm", 2048, 4096).is_buffer_size_sufficient
        bf16, fp32 = torch.bfloat16, torch.float32
        with contextlib.redirect_stdout(io.StringIO()):
            return [
                check(4, 2048, 4096, bf16),
                check(4, 1024, 8192, bf16),
                check(4, 2048, 4096, torch.float16),
                check(4, 1, 2048 * 4096 + 1, bf16),
                check(8, 2048, 4096, bf16),
                check(4, 2048, 4096, fp32),
            ]

    assert in_stub(name, ask) == [True, True, True, False, False, False]


def refuse(child: Child) -> tuple[str, list[tuple[str, str, str]]]:
    records: list[tuple[str, str, str]] = []

    class Keep(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            records.append((record.name, record.levelname, record.getMessage()))

    logging.getLogger().addHandler(Keep())
    workspace = child.create("trtllm", 16, 64)
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        assert not workspace.is_buffer_size_sufficient(4, 17, 64, torch.bfloat16)
    return out.getvalue(), records


TEXT = (
    "Workspace is insufficient for problem size. Workspace validation failed:\n"
    "  - token_num (17) * hidden_dim (64) exceeds workspace max_token_num (16) * hidden_dim (64). "
    "This may cause Illegal Memory Access."
)


@pytest.mark.parametrize("name", ["v0_6_0", "v0_6_1", "v0_6_5"])
def test_a_refusal_was_printed_up_to_0_6_5(in_stub: InStub, name: str) -> None:
    printed, records = in_stub(name, refuse)

    assert (printed, records) == (TEXT + "\n", [])


@pytest.mark.parametrize("name", ["v0_6_6", "v0_6_12", "v0_7_4"])
def test_a_refusal_is_logged_from_0_6_6(in_stub: InStub, name: str) -> None:
    printed, records = in_stub(name, refuse)

    assert (printed, records) == ("", [("flashinfer.comm.allreduce", "WARNING", TEXT)])


def test_missing_metadata_keys_refuse_and_missing_metadata_raises(in_stub: InStub) -> None:
    def ask(child: Child) -> tuple[bool, str]:
        workspace = child.create("trtllm", 16, 64)
        del workspace.metadata["hidden_dim"]
        answer = workspace.is_buffer_size_sufficient(4, 1, 64, torch.bfloat16)
        del workspace.metadata
        try:
            workspace.is_buffer_size_sufficient(4, 1, 64, torch.bfloat16)
        except AttributeError:
            return answer, "AttributeError"
        return answer, "nothing"

    assert in_stub("v0_7_4", ask) == (False, "AttributeError")


def fused(child: Child, workspace: Any, rows: torch.Tensor, **options: Any) -> Any:
    return child.comm.allreduce_fusion(
        input=rows,
        workspace=workspace,
        pattern=child.comm.AllReduceFusionPattern.kARResidualRMSNorm,
        residual_in=torch.zeros_like(rows),
        residual_out=torch.empty_like(rows),
        norm_out=torch.empty_like(rows),
        rms_gamma=torch.ones(rows.shape[-1], dtype=rows.dtype),
        **options,
    )


@pytest.mark.parametrize(("ranks", "expected"), [(1, "KeyError"), (3, "KeyError"), (4, "ok")])
def test_dispatch_knows_only_2_4_and_8_ranks(in_stub: InStub, ranks: int, expected: str) -> None:
    def ask(child: Child) -> str:
        workspace = child.create("trtllm", 16, 64)
        return outcome(fused, child, workspace, torch.ones(8, 64, dtype=torch.bfloat16))

    assert expected == in_stub("v0_7_4", ask, world=ranks, group=tuple(range(ranks)))


def test_dispatch_refuses_what_the_validator_accepts(in_stub: InStub) -> None:
    """Two-shot with tokens <= ranks, a strided input, a third dimension, an odd row width."""

    def ask(child: Child) -> list[str]:
        workspace = child.create("trtllm", 16, 64)
        ones = torch.ones(8, 64, dtype=torch.bfloat16)
        return [
            outcome(fused, child, workspace, ones[:5], use_oneshot=False),
            outcome(fused, child, workspace, ones[:4], use_oneshot=False),
            outcome(fused, child, workspace, ones[:, ::2], use_oneshot=True),
            outcome(fused, child, workspace, ones.view(2, 4, 64), use_oneshot=True),
            outcome(fused, child, workspace, ones[:, :12].contiguous(), use_oneshot=True),
            outcome(fused, child, workspace, ones.double(), use_oneshot=True),
        ]

    assert in_stub("v0_7_4", ask) == [
        "ok",
        "AssertionError",
        "ValueError",
        "ValueError",
        "RuntimeError",
        "RuntimeError",
    ]


def test_one_shot_is_chosen_up_to_the_table_in_mebibytes(in_stub: InStub) -> None:
    """At 4 ranks, bf16: tokens x 8192 x 2 x 4 x 2 bytes is 64 MiB at 512 tokens."""

    def ask(child: Child) -> list[bool]:
        workspace = child.create("trtllm", 600, 8192)
        for tokens in (512, 513):
            fused(child, workspace, torch.ones(tokens, 8192, dtype=torch.bfloat16))
        return [data["use_oneshot"] for data in child.seen("kernel")]

    assert in_stub("v0_7_4", ask) == [True, False]


@pytest.mark.parametrize(("name", "expected"), [("v0_6_1", False), ("v0_6_8", True)])
def test_trigger_default(in_stub: InStub, name: str, expected: bool) -> None:
    """Without PDL the trigger follows it before 0.6.8, and is at the end from then on."""

    def ask(child: Child) -> bool:
        workspace = child.create("trtllm", 16, 64)
        fused(child, workspace, torch.ones(8, 64, dtype=torch.bfloat16))
        return bool(child.seen("kernel")[0]["trigger_completion_at_end"])

    assert expected == in_stub(name, ask)


def test_allocation_is_granular_or_exact(in_stub: InStub) -> None:
    """16 x 64 bf16 at 4 ranks: 8,192 B, 4 x 256 x 4 B of flags, 3 x 8,192 B.

    Or whole granules of 2 MiB; and before 0.6.10 each is rounded up to one, to which the
    allocator's signal pad then adds another.
    """

    def ask(child: Child) -> list[int]:
        child.create("trtllm", 16, 64)
        return [data["bytes"] for data in child.seen("alloc")]

    assert in_stub("v0_6_10", ask) == [8192, 4096, 24576]
    assert in_stub("v0_7_4", ask) == [2097152] * 3
    assert in_stub("v0_6_8", ask) == [4194304] * 3


def test_multicast_was_needed_by_trtllm_up_to_0_6_9(in_stub: InStub) -> None:
    def ask(child: Child) -> str:
        return outcome(child.create, "trtllm", 16, 64)

    assert in_stub("v0_6_8", ask, multicast=False) == "RuntimeError"
    assert in_stub("v0_6_10", ask, multicast=False) == "ok"
    assert in_stub("v0_7_4", ask, multicast=False) == "ok"
