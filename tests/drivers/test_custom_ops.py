"""Operators that are registered for an engine, as torch sees them."""

from __future__ import annotations

import inspect

import pytest
import torch

from driftgate.drive.drivers.custom_ops import CustomOps


def doubled(tensor: torch.Tensor, times: int = 2) -> torch.Tensor:
    torch._dynamo.graph_break()
    return tensor * times


def fake(tensor: torch.Tensor, times: int = 2) -> torch.Tensor:
    return torch.empty_like(tensor)


def test_a_compiler_does_not_look_into_a_registered_function() -> None:
    """The function breaks a graph; its operator does not, and computes the same."""
    ops = CustomOps()
    operator = ops.registered(mutates_args=[], fake_impl=fake)(doubled)
    ones = torch.ones(3)

    with pytest.raises(torch._dynamo.exc.Unsupported):
        torch.compile(doubled, backend="eager", fullgraph=True)(ones)
    torch._dynamo.reset()
    compiled = torch.compile(lambda x: operator(x, times=3), backend="eager", fullgraph=True)

    assert compiled(ones).tolist() == [3.0, 3.0, 3.0]
    assert inspect.signature(operator) == inspect.signature(doubled)


def test_a_module_that_is_run_again_registers_again() -> None:
    """Twice under one name is no error, and what was not registered is called as it is."""
    ops = CustomOps()
    for _ in range(2):
        ops.register("doubled", doubled, mutates_args=[], fake_impl=fake)

    assert ops.instead_of(doubled) is not doubled
    assert ops.instead_of(fake) is fake
    assert ops.instead_of(doubled)(torch.ones(1)).item() == 2.0


def test_an_operator_that_declines_gives_nothing() -> None:
    """As an engine's does where fusion is off: None for each tensor of its schema."""

    def declines(tensor: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        return None, None  # type: ignore[return-value]

    ops = CustomOps()

    assert tuple(ops.registered(declines)(torch.ones(1))) == (None, None)
