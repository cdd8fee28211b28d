"""Code that does the same has the same mark, however it is written; other code has another."""

from __future__ import annotations

import ast

import pytest

from driftgate.insides.bodies import fingerprint

PLAIN = "def f(x):\n    a = [x]\n    if not a: raise ValueError('none')\n    assert x\n    return a"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("a = [x]", "a: list[int] = [x]"),
        ("a = [x]", "b: int\n    a = [x]"),
        ("a = [x]", "import warnings\n    a = [x]"),
        ("a = [x]", "from . import other\n    a = [x]"),
        ("a = [x]", "a = [x]\n    warnings.warn('slow')"),
        ("ValueError('none')", "ValueError(f'none of {x}')"),
        ("assert x", "assert x, 'x is needed'"),
        ("def f(x):", "def f(x: int) -> list[int]:\n    'Say more.'"),
    ],
)
def test_the_same(old: str, new: str) -> None:
    """Where a name is imported, what it is declared as and what is said change nothing."""
    assert mark(PLAIN.replace(old, new)) == mark(PLAIN)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("a = [x]", "a: list[int] = [x, x]"),
        ("ValueError", "TypeError"),
        ("raise ValueError('none')", "return None"),
        ("assert x", "assert not x"),
        ("return a", "return tuple(a)"),
    ],
)
def test_another(old: str, new: str) -> None:
    """What is computed, refused or returned is what counts."""
    assert mark(PLAIN.replace(old, new)) != mark(PLAIN)


def mark(code: str) -> str:
    return fingerprint(*ast.parse(code).body)
