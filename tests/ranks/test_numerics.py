"""Bounds by hand, and errors that must be far outside of them."""

from __future__ import annotations

import pytest
import torch

from driftgate.ranks.numerics import right_norm, right_residual, right_sum
from driftgate.ranks.peers import held_by

DTYPES = [torch.bfloat16, torch.float16, torch.float32]


def test_the_bound_of_a_sum_by_hand() -> None:
    """Ranks hold 1 and 3 in bfloat16, u = 2^-8: one addition in float32, and one rounding.

    1 x 2^-24 x (1 + 3) + 2^-8 x 4, and the subnormals' spacing of 2^-133.
    """
    right = right_sum([torch.tensor([[1.0]]).bfloat16(), torch.tensor([[3.0]]).bfloat16()])

    assert right.value.item() == 4.0
    assert right.allowed.item() == pytest.approx(4 * 2.0**-24 + 4 * 2.0**-8, rel=1e-12)


def test_the_bound_of_a_sum_in_its_own_dtype_by_hand() -> None:
    """2 additions with u = 2^-11 of float16 over 1 + 2 + 4, and one rounding of 7."""
    held = [torch.tensor([[value]]).half() for value in (1.0, 2.0, 4.0)]

    assert right_sum(held, in_dtype=True).allowed.item() == pytest.approx(
        2 * 2.0**-11 * 7 + 2.0**-11 * 7 + 2.0**-24, rel=1e-9
    )


def test_a_norm_by_hand() -> None:
    """Sums (3, 4) with no residual: mean square 12.5, weights 1 and 2."""
    half = torch.tensor([[1.5, 2.0]])
    right = right_norm([half, half], torch.zeros(1, 2), torch.tensor([1.0, 2.0]), 0.0)

    assert right.value[0].tolist() == pytest.approx([3 / 12.5**0.5, 8 / 12.5**0.5], rel=1e-12)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("ranks", [2, 8])
def test_what_plain_torch_computes_is_right(dtype: torch.dtype, ranks: int) -> None:
    """Float32 arithmetic with one rounding, and a sum in the dtype itself where that is allowed."""
    held = [held_by(rank, (5, 256), dtype) for rank in range(ranks)]
    residual, weight = held_by(-1, (5, 256), dtype), held_by(-2, (256,), dtype) + 1
    total = torch.stack([each.float() for each in held]).sum(0)
    before = total + residual.float()
    norm = before * torch.rsqrt(before.square().mean(-1, keepdim=True) + 1e-6) * weight.float()
    slow = held[0].clone()
    for each in held[1:]:
        slow += each

    assert right_sum(held).badness(total.to(dtype)) <= 1
    assert right_sum(held, in_dtype=True).badness(slow) <= 1
    assert right_residual(held, residual).badness(before.to(dtype)) <= 1
    assert right_norm(held, residual, weight, 1e-6).badness(norm.to(dtype)) <= 1


@pytest.mark.parametrize("dtype", DTYPES)
def test_a_lost_and_a_doubled_reduction_are_far_off(dtype: torch.dtype) -> None:
    held = [held_by(rank, (5, 256), dtype) for rank in range(2)]
    right = right_sum(held)
    total = (held[0].double() + held[1].double()).to(dtype)

    assert right.badness(held[0]) > 100
    assert right.badness(total * 2) > 100


def test_what_is_not_finite_must_be_where_it_belongs() -> None:
    held = [torch.tensor([[torch.nan, torch.inf, 1.0]]), torch.tensor([[1.0, 1.0, 1.0]])]
    right = right_sum(held)

    assert right.badness(torch.tensor([[torch.nan, torch.inf, 2.0]])) <= 1
    for wrong in (
        [0.0, torch.inf, 2.0],
        [torch.nan, 3e38, 2.0],
        [torch.nan, -torch.inf, 2.0],
        [torch.nan, torch.inf, torch.nan],
    ):
        assert right.badness(torch.tensor([wrong])) == float("inf")


def test_another_shape_or_dtype_is_wrong() -> None:
    right = right_sum([torch.ones(2, 4), torch.ones(2, 4)])

    assert right.badness(torch.full((4, 2), 2.0)) == float("inf")
    assert right.badness(torch.full((2, 4), 2.0).bfloat16()) == float("inf")
