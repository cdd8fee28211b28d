from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
import torch

from flashinfer_comm_fusion.arithmetic import (
    CutedslArithmetic,
    MnnvlArithmetic,
    TrtllmArithmetic,
    agrees,
    read_arithmetic,
)
from flashinfer_comm_fusion.dialect import SizeCheck

BF16, FP16, FP32 = torch.bfloat16, torch.float16, torch.float32
MIB = 1 << 20
METADATA = {"tp_size": 4, "max_token_num": 2048, "hidden_dim": 4096, "use_fp32_lamport": False}


@pytest.mark.parametrize(
    ("tokens", "hidden", "dtype", "expected"),
    [
        (2048, 4096, BF16, True),
        (1024, 8192, BF16, True),  # the same total, in another shape
        (2049, 4096, BF16, False),
        (1024, 8193, BF16, False),
        (2048, 4096, FP16, True),
        (1, 8, FP32, False),  # another Lamport mode
        (2**31, 1, BF16, False),
    ],
)
def test_trtllm_counts_total_elements_and_compares_fp32_mode(
    tokens: int, hidden: int, dtype: torch.dtype, expected: bool
) -> None:
    arithmetic = read_arithmetic("trtllm", SimpleNamespace(metadata=METADATA), 4)

    assert arithmetic == TrtllmArithmetic(elements=8_388_608, fp32_lamport=False)
    assert arithmetic.fits(tokens, hidden, dtype, None) is expected


@pytest.mark.parametrize(
    "metadata",
    [
        None,
        "metadata",
        {},
        {key: value for key, value in METADATA.items() if key != "hidden_dim"},
        {**METADATA, "tp_size": 8},
        {**METADATA, "max_token_num": None},
        {**METADATA, "max_token_num": True},
        {**METADATA, "hidden_dim": -4096},
        {**METADATA, "use_fp32_lamport": "no"},
    ],
)
def test_odd_metadata_is_no_arithmetic(metadata: Any) -> None:
    """Then the validator alone answers."""
    assert read_arithmetic("trtllm", SimpleNamespace(metadata=metadata), 4) is None


@pytest.mark.parametrize(
    ("buffer", "ranks", "tokens", "hidden", "expected"),
    [
        # tp 8, bf16, hidden 7168: one-shot of 9 tokens takes 1,032,192 bytes, two-shot of 10
        # takes 458,752: what is needed falls where the strategy changes.
        (1_032_192, 8, 9, 7168, True),
        (1_032_191, 8, 9, 7168, False),
        (458_752, 8, 10, 7168, True),
        (458_751, 8, 10, 7168, False),
        # tp 8, bf16, hidden 8192: 8 tokens are 1 MiB to the byte, which is one-shot still.
        (1_048_576, 8, 8, 8192, True),
        (1_048_575, 8, 8, 8192, False),
        # Three buffers share 2 MiB: 4-6 tokens fit, 7-9 do not, 10-24 do, 25 do not.
        (2 * MIB // 3 // 16 * 16, 8, 6, 7168, True),
        (2 * MIB // 3 // 16 * 16, 8, 7, 7168, False),
        (2 * MIB // 3 // 16 * 16, 8, 9, 7168, False),
        (2 * MIB // 3 // 16 * 16, 8, 10, 7168, True),
        (2 * MIB // 3 // 16 * 16, 8, 24, 7168, True),
        (2 * MIB // 3 // 16 * 16, 8, 25, 7168, False),
        # Made for (10, 7168) at tp 8: a smaller hidden size needs 1,048,320 bytes.
        (1_032_192, 8, 10, 6552, False),
        # Made for (26, 5120) at tp 4: 1,024,000 bytes; (26, 4992) needs 1,038,336, (27, 5120) fits.
        (1_024_000, 4, 26, 4992, False),
        (1_024_000, 4, 27, 5120, True),
    ],
)
def test_mnnvl_needs_bytes_by_strategy(
    buffer: int, ranks: int, tokens: int, hidden: int, expected: bool
) -> None:
    """The worked numbers of real releases; none is monotone in tokens or hidden size."""
    arithmetic = MnnvlArithmetic(buffer, MIB, ranks)

    assert arithmetic.fits(tokens, hidden, BF16, None) is expected


def test_a_chosen_mnnvl_strategy_is_the_one_that_is_counted() -> None:
    """2048 tokens of 7168 at tp 8 take 58,720,256 bytes in two-shot, 234,881,024 in one-shot."""
    two, one = MnnvlArithmetic(58_720_256, MIB, 8), MnnvlArithmetic(234_881_024, MIB, 8)

    assert two.fits(2048, 7168, BF16, None)
    assert two.fits(2048, 7168, BF16, False)
    assert not two.fits(2048, 7168, BF16, True)
    assert one.fits(2048, 7168, BF16, True)
    assert not MnnvlArithmetic(58_720_255, MIB, 8).fits(2048, 7168, BF16, False)


def test_cutedsl_matches_hidden_size_and_dtype_exactly() -> None:
    workspace = SimpleNamespace(world_size=4, max_token_num=64, hidden_dim=8192, dtype=BF16)
    arithmetic = read_arithmetic("mnnvl-cutedsl", workspace, 4)

    assert arithmetic == CutedslArithmetic(64, 8192, BF16)
    assert arithmetic.fits(64, 8192, BF16, None)
    assert not arithmetic.fits(65, 8192, BF16, None)
    assert not arithmetic.fits(1, 4096, BF16, None)
    assert not arithmetic.fits(1, 8192, FP16, None)
    assert read_arithmetic("mnnvl-cutedsl", workspace, 8) is None
    assert read_arithmetic("mnnvl-cutedsl", SimpleNamespace(world_size=4), 4) is None


def test_mnnvl_without_its_numbers_is_no_arithmetic() -> None:
    assert read_arithmetic("mnnvl", SimpleNamespace(buffer_size_bytes=1024), 4) is None
    assert read_arithmetic("another", object(), 4) is None


def check(arithmetic: MnnvlArithmetic, takes_hint: bool) -> SizeCheck:
    return SizeCheck(ask=arithmetic.fits, takes_hint=takes_hint, described="a stand-in")


@pytest.mark.parametrize("takes_hint", [True, False])
def test_arithmetic_that_is_the_validators_agrees(takes_hint: bool) -> None:
    arithmetic = MnnvlArithmetic(1_024_000, MIB, 4)

    assert agrees(arithmetic, check(arithmetic, takes_hint), 5120, BF16)


@pytest.mark.parametrize(
    "validator",
    [
        MnnvlArithmetic(1_024_000, 2 * MIB, 4),  # another threshold
        MnnvlArithmetic(1_024_000, MIB // 2, 4),
        MnnvlArithmetic(1_024_000 + 40_960, MIB, 4),  # another buffer, by one row a rank
        MnnvlArithmetic(1_024_000, MIB, 8),  # other ranks
    ],
)
def test_arithmetic_of_another_validator_does_not_agree(validator: MnnvlArithmetic) -> None:
    """A threshold, a buffer or a rank count that moved shows at an edge."""
    assert not agrees(MnnvlArithmetic(1_024_000, MIB, 4), check(validator, True), 5120, BF16)
