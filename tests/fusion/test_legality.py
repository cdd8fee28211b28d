from __future__ import annotations

from types import SimpleNamespace

import pytest
import torch

from flashinfer_comm_fusion.legality import Legality, rank_count_supported, read_legality
from fusion.test_rendezvous import NEWEST

BF16, FP16, FP32 = torch.bfloat16, torch.float16, torch.float32


def trtllm(ranks: int) -> Legality:
    return read_legality("trtllm", object(), ranks, NEWEST)


def mnnvl(ranks: int) -> Legality:
    return read_legality("mnnvl", object(), ranks, NEWEST)


@pytest.mark.parametrize(
    ("backend", "ranks", "use_oneshot", "expected"),
    [
        # Nobody chooses: the dispatch looks the rank count up, and raises KeyError.
        *(("trtllm", ranks, None, ranks in (2, 4, 8)) for ranks in (1, 2, 3, 4, 6, 8, 16)),
        ("trtllm", 16, True, True),
        ("trtllm", 6, True, False),  # no kernel for it either
        ("mnnvl", 16, None, True),
        ("mnnvl", 64, None, True),
        ("mnnvl", 6, None, False),
        ("mnnvl-cutedsl", 16, None, True),
        ("mnnvl-cutedsl", 32, None, False),
    ],
)
def test_rank_counts(backend: str, ranks: int, use_oneshot: bool | None, expected: bool) -> None:
    assert rank_count_supported(backend, ranks, use_oneshot, NEWEST) is expected


@pytest.mark.parametrize("legality", [trtllm(4), mnnvl(4)])
@pytest.mark.parametrize(
    ("tokens", "hidden", "dtype", "expected"),
    [
        (1, 8, BF16, True),
        (0, 8, BF16, False),
        (1, 7, BF16, False),  # 14 bytes a row: kernels read 16 at a time
        (1, 4, FP32, True),
        (1, 4, BF16, False),
        (1, 8, FP16, True),
        (1, 8, torch.float64, False),
        (1, 16, torch.float8_e4m3fn, False),
        (1, 8, torch.int32, False),
    ],
)
def test_rows_and_dtypes(
    legality: Legality, tokens: int, hidden: int, dtype: torch.dtype, expected: bool
) -> None:
    assert legality.allows(tokens, hidden, dtype, None) is expected


@pytest.mark.parametrize(("tokens", "expected"), [(1, False), (4, False), (5, True)])
def test_trtllm_two_shot_needs_more_tokens_than_ranks(tokens: int, expected: bool) -> None:
    assert trtllm(4).allows(tokens, 1024, BF16, False) is expected
    assert trtllm(4).allows(tokens, 1024, BF16, True)
    assert mnnvl(4).allows(tokens, 1024, BF16, False)


@pytest.mark.parametrize(
    ("tokens", "hidden", "expected"),
    [
        # 8 ranks choose one-shot up to 42 MiB: 8 tokens of 172,032 bf16 are just that much.
        (8, 172_032, True),
        (8, 172_040, False),
        (9, 172_040, True),
        (1, 8 * 172_032, True),
        (1, 8 * 172_032 + 8, False),
    ],
)
def test_trtllm_is_not_made_to_choose_two_shot_for_few_tokens(
    tokens: int, hidden: int, expected: bool
) -> None:
    assert trtllm(8).allows(tokens, hidden, BF16, None) is expected


def test_trtllm_of_an_unlisted_rank_count_runs_only_by_choice() -> None:
    assert not trtllm(16).allows(64, 1024, BF16, None)
    assert trtllm(16).allows(64, 1024, BF16, True)


@pytest.mark.parametrize(
    ("switches", "plain", "fused"),
    [
        ({}, False, True),  # releases before the switches fuse, always
        ({"apply_rms_norm": True, "add_residual": True}, False, True),
        ({"apply_rms_norm": False, "add_residual": False}, True, False),
        ({"apply_rms_norm": False, "add_residual": True}, False, False),
    ],
)
def test_cutedsl_serves_what_was_compiled(
    switches: dict[str, bool], plain: bool, fused: bool
) -> None:
    workspace = SimpleNamespace(rms_eps=1e-5, **switches)
    legality = read_legality("mnnvl-cutedsl", workspace, 4, NEWEST)

    assert (legality.plain, legality.fused, legality.rms_eps) == (plain, fused, 1e-5)
    assert legality.dtypes == {BF16}
