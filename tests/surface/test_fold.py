from __future__ import annotations

import ast

import pytest

from driftgate.surface.fold import NotConstantError, fold


def _expression(text: str) -> ast.expr:
    return ast.parse(text, mode="eval").body


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("64 * 1024 * 8 * 2", 1_048_576),
        ("2147483647 & ~((1 << 21) - 1)", 2_145_386_496),
        ("{2: 512, 4: 64, 8: 42}", {2: 512, 4: 64, 8: 42}),
        ("-(3 // 2), [1 | 4, 'a']", (-1, [5, "a"])),
        ("None", None),
    ],
)
def test_arithmetic_is_evaluated(text: str, value: object) -> None:
    """Constants get the value that Python would give them."""
    assert fold(_expression(text)) == value


def test_names_stand_for_earlier_constants() -> None:
    """A name is replaced by its expression."""
    assert fold(_expression("A + 1"), {"A": _expression("B * 2"), "B": _expression("4")}) == 9


@pytest.mark.parametrize(
    "text", ["f()", "torch.float16", "unknown", "1 << 10**9", "1 / 0", "'a' + 1", "A"]
)
def test_anything_else_is_refused(text: str) -> None:
    """Calls, attributes, unknown or circular names, and arithmetic that fails are not constants."""
    with pytest.raises(NotConstantError):
        fold(_expression(text), {"A": _expression("A")})
