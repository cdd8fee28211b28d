from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
import torch

from flashinfer_comm_fusion.arithmetic import MnnvlArithmetic, TrtllmArithmetic
from flashinfer_comm_fusion.dialect import SizeCheck
from flashinfer_comm_fusion.gate import Gate
from flashinfer_comm_fusion.legality import Legality

if TYPE_CHECKING:
    from collections.abc import Callable

    from flashinfer_comm_fusion.arithmetic import Arithmetic

BF16 = torch.bfloat16
LEGAL = Legality(dtypes=frozenset({BF16, torch.float32}), world_size=4)


def gate(ask: Callable[..., bool], arithmetic: Arithmetic | None, **changes: Any) -> Gate:
    facts: dict[str, Any] = {
        "upstream": None,
        "workspace": object(),
        "backend": "trtllm",
        "world_size": 4,
        "group_key": (None, None),
        "device": None,
        "size_check": SizeCheck(ask=ask, takes_hint=True, described="Workspace.check"),
        "arithmetic": arithmetic,
        "refuse_first": isinstance(arithmetic, TrtllmArithmetic),
        "legality": LEGAL,
    }
    return Gate(**{**facts, **changes})


def never(*_: object) -> bool:
    raise AssertionError("the validator was asked")


def test_what_cannot_fit_is_refused_before_the_validator_can_log_it() -> None:
    trtllm = gate(never, TrtllmArithmetic(elements=64, fp32_lamport=False))

    assert not trtllm.fits(9, 8, BF16)
    assert not trtllm.fits(1, 8, torch.float32)


@pytest.mark.parametrize("verdict", [True, False])
def test_what_may_fit_is_the_validators_to_answer(verdict: bool) -> None:
    trtllm = gate(lambda *_: verdict, TrtllmArithmetic(elements=64, fp32_lamport=False))

    assert trtllm.fits(8, 8, BF16) is verdict


@pytest.mark.parametrize("verdict", [True, False])
@pytest.mark.parametrize("arithmetic", [None, MnnvlArithmetic(16, 16, 4)])
def test_a_silent_validator_answers_everything(
    verdict: bool, arithmetic: Arithmetic | None
) -> None:
    mnnvl = gate(lambda *_: verdict, arithmetic, backend="mnnvl")

    assert mnnvl.fits(1000, 8, BF16) is verdict
    assert mnnvl.fits(1, 8, BF16) is verdict


def test_while_compiling_the_arithmetic_answers_and_nobody_else(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(torch.compiler, "is_compiling", lambda: True)

    assert gate(never, TrtllmArithmetic(64, fp32_lamport=False)).fits(8, 8, BF16)
    assert not gate(never, TrtllmArithmetic(64, fp32_lamport=False)).fits(9, 8, BF16)
    assert not gate(never, None).fits(1, 8, BF16)


@pytest.mark.parametrize("compiling", [True, False])
def test_a_choice_that_the_validator_cannot_be_told_is_left_out(
    monkeypatch: pytest.MonkeyPatch, compiling: bool
) -> None:
    """One-shot needs 64 KiB here, two-shot 32: the validator answers for its own choice."""
    two_shot = MnnvlArithmetic(buffer_bytes=1 << 15, oneshot_bytes=1 << 10, world_size=4)
    deaf = SizeCheck(ask=two_shot.fits, takes_hint=False, described="a stand-in")
    monkeypatch.setattr(torch.compiler, "is_compiling", lambda: compiling)

    assert gate(never, two_shot, backend="mnnvl", size_check=deaf).fits(16, 512, BF16, True)


def test_a_validator_that_raises_is_a_refusal_noted_once(
    caplog: pytest.LogCaptureFixture,
) -> None:
    def raising(*_: object) -> bool:
        raise AttributeError("metadata")

    broken = gate(raising, None)

    assert [broken.fits(1, 8, BF16) for _ in range(3)] == [False, False, False]
    (record,) = caplog.records
    assert record.getMessage().startswith(
        "size check raised: Workspace.check said AttributeError: metadata;"
    )


@pytest.mark.parametrize(
    ("tensor", "expected"),
    [
        (torch.ones(2, 8, dtype=BF16), True),
        (torch.ones(2, 16, dtype=BF16)[:, :8], False),
        (torch.ones(8, 2, dtype=BF16).t(), False),
        (torch.ones(16, dtype=BF16), False),
        (torch.ones(1, 2, 8, dtype=BF16), False),
        (torch.ones(0, 8, dtype=BF16), False),
        (torch.ones(2, 8, dtype=BF16, device="meta"), False),
        (torch.ones(2, 8, dtype=torch.int64), False),
    ],
)
def test_only_contiguous_rows_on_the_workspaces_device_are_admitted(
    tensor: torch.Tensor, expected: bool
) -> None:
    all_fits = gate(lambda *_: True, None, device=torch.device("cpu"))

    assert all_fits.admits(tensor) is expected
