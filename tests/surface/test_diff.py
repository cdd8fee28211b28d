from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from driftgate.surface.diff import diff
from driftgate.surface.difference import Kind, Level
from surface.sources import one_module

# (before, after, what is found as (kind, level, where))
CASES = [
    ("def x(a): ...", "def x(a): ...", []),
    ("", "def x(a): ...", [(Kind.SYMBOL_ADDED, Level.ADDITIVE, "")]),
    ("def x(a): ...", "", [(Kind.SYMBOL_REMOVED, Level.BREAKING, "")]),
    ("def x(a): ...", "class x: ...", [(Kind.SYMBOL_RETYPED, Level.BREAKING, "")]),
    (
        "def x(a, c): ...",
        "def x(a, b=1, c=2): ...",
        [
            (Kind.PARAM_INSERTED, Level.SAFE_BY_KEYWORD, "(b)"),
            (Kind.DEFAULT_ADDED, Level.ADDITIVE, "(c)"),
        ],
    ),
    ("def x(a): ...", "def x(a, b=1): ...", [(Kind.PARAM_APPENDED, Level.ADDITIVE, "(b)")]),
    (
        "def x(a, *, c=0): ...",
        "def x(a, b=1, *, c=0): ...",
        [(Kind.PARAM_APPENDED, Level.ADDITIVE, "(b)")],
    ),
    ("def x(a): ...", "def x(a, *, b=1): ...", [(Kind.PARAM_KEYWORD_ADDED, Level.ADDITIVE, "(b)")]),
    ("def x(a): ...", "def x(a, *, b): ...", [(Kind.PARAM_REQUIRED_ADDED, Level.BREAKING, "(b)")]),
    ("def x(a): ...", "def x(a, b): ...", [(Kind.PARAM_REQUIRED_ADDED, Level.BREAKING, "(b)")]),
    ("def x(a): ...", "def x(a, **kw): ...", [(Kind.PARAM_APPENDED, Level.ADDITIVE, "(kw)")]),
    ("def x(a, b): ...", "def x(a): ...", [(Kind.PARAM_REMOVED, Level.BREAKING, "(b)")]),
    (
        "def x(a, b): ...",
        "def x(b, a): ...",
        [(Kind.PARAMS_REORDERED, Level.SAFE_BY_KEYWORD, "")],
    ),
    (
        "def x(a): ...",
        "def x(*, a): ...",
        [(Kind.PARAM_KIND_CHANGED, Level.SAFE_BY_KEYWORD, "(a)")],
    ),
    ("def x(a): ...", "def x(a, /): ...", [(Kind.PARAM_KIND_CHANGED, Level.BREAKING, "(a)")]),
    ("def x(*, a): ...", "def x(a): ...", [(Kind.PARAM_KIND_CHANGED, Level.ADDITIVE, "(a)")]),
    ("def x(a=1): ...", "def x(a=2): ...", [(Kind.DEFAULT_CHANGED, Level.SAFE_BY_KEYWORD, "(a)")]),
    ("def x(a=1): ...", "def x(a): ...", [(Kind.DEFAULT_REMOVED, Level.BREAKING, "(a)")]),
    ("def x(a): ...", "def x(a: int): ...", [(Kind.ANNOTATION_CHANGED, Level.COSMETIC, "(a)")]),
    ("def x(): ...", "def x() -> int: ...", [(Kind.RETURN_CHANGED, Level.COSMETIC, "")]),
    ("def x(): ...", "@api\ndef x(): ...", [(Kind.DECORATORS_CHANGED, Level.COSMETIC, "")]),
    ("x = 1", "x = 1 + 0", []),
    ("x = 1", "x = 2", [(Kind.VALUE_CHANGED, Level.BREAKING, "")]),
    (
        "class x:\n    A = 1\n    B = 2",
        "class x:\n    A = 2\n    C = 3",
        [
            (Kind.VALUE_CHANGED, Level.BREAKING, "A"),
            (Kind.MEMBER_REMOVED, Level.BREAKING, "B"),
            (Kind.MEMBER_ADDED, Level.ADDITIVE, "C"),
        ],
    ),
    (
        "class x:\n    def f(self): ...",
        "class x:\n    @staticmethod\n    def f(self): ...",
        [(Kind.DECORATORS_CHANGED, Level.BREAKING, "f")],
    ),
    (
        "class x:\n    def f(self, a=1): ...",
        "class x:\n    def f(self, a=2): ...",
        [(Kind.DEFAULT_CHANGED, Level.SAFE_BY_KEYWORD, "f(a)")],
    ),
    (
        "import abc\nclass x: ...",
        "import abc\nclass x:\n    @abc.abstractmethod\n    def f(self): ...",
        [(Kind.MEMBER_ADDED, Level.BREAKING, "f")],
    ),
    (
        "import abc, typing\nclass x(abc.ABC): ...",
        "import abc, typing\nclass x(typing.Protocol): ...",
        [(Kind.BASES_CHANGED, Level.COSMETIC, "")],
    ),
    (
        "import enum\nclass x(enum.Enum): ...",
        "import enum\nclass x: ...",
        [(Kind.BASES_CHANGED, Level.BREAKING, "")],
    ),
    (
        "def x(): ...",
        "def y(): ...\nx = y",
        [(Kind.SYMBOL_MOVED, Level.COSMETIC, "")],
    ),
    (
        "def x(): ...",
        "try:\n    def x(): ...\nexcept ImportError:\n    pass",
        [(Kind.GUARD_CHANGED, Level.DANGEROUS, "")],
    ),
    (
        "try:\n    def x(): ...\nexcept ImportError:\n    pass",
        "def x(): ...",
        [(Kind.GUARD_CHANGED, Level.COSMETIC, "")],
    ),
    (
        "def x(): ...",
        "from __future__ import annotations\ndef x(): ...",
        [(Kind.ANNOTATIONS_POSTPONED, Level.COSMETIC, "")],
    ),
]


@pytest.mark.parametrize(("before", "after", "expected"), CASES)
def test_differences(before: str, after: str, expected: list[tuple[Kind, Level, str]]) -> None:
    """Each kind of change is told by its kind, its level and its place."""
    found = diff(one_module(before, "pkg:x"), one_module(after, "pkg:x"))

    assert [(item.kind, item.level, item.where) for item in found] == expected


def test_an_inserted_parameter_says_where() -> None:
    """Its position, and what it pushes aside, are what a positional caller needs to know."""
    [found] = diff(
        one_module("def x(a, c=0): ...", "pkg:x"), one_module("def x(a, b=1, c=0): ...", "pkg:x")
    )

    assert (found.new, found.note) == ("b = 1", "position 2, before c")


def test_differences_are_plain_values() -> None:
    """A difference survives JSON."""
    [found] = diff(one_module("x = 1", "pkg:x"), one_module("x = 2", "pkg:x"))

    assert json.loads(json.dumps(found.as_dict())) == {
        "kind": "value-changed",
        "level": "breaking",
        "symbol": "pkg:x",
        "where": "",
        "old": "1",
        "new": "2",
        "note": "",
    }


_SOURCES = [text for before, after, _ in CASES for text in (before, after)]


@given(st.sampled_from(_SOURCES), st.sampled_from(_SOURCES))
def test_surfaces_differ_exactly_where_differences_are_found(before: str, after: str) -> None:
    """No inequality goes without a difference, and equality without one."""
    old, new = one_module(before, "pkg:x"), one_module(after, "pkg:x")

    assert bool(diff(old, new)) is not old.same_shape(new)


@pytest.mark.parametrize(
    ("decorator", "level"),
    [("@typing.runtime_checkable", Level.COSMETIC), ("", Level.BREAKING)],
)
def test_a_base_that_becomes_a_checkable_protocol_is_not_lost(decorator: str, level: Level) -> None:
    """``isinstance`` then tells by what there is, so that dropping the base changes nothing."""
    protocol = f"import typing\n{decorator}\nclass base(typing.Protocol):\n    def f(self): ..."
    found = diff(
        one_module("class base: ...\nclass x(base):\n    def f(self): ...", "pkg:x", "pkg:base"),
        one_module(f"{protocol}\nclass x:\n    def f(self): ...", "pkg:x", "pkg:base"),
    )

    assert [item.level for item in found if item.symbol == "pkg:x"] == [level]
