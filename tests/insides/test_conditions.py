"""Refusals and uses that a caller who worked before does not meet, and near misses that it does."""

from __future__ import annotations

import pytest

from driftgate.insides.conditions import conjuncts, implies, needs_new
from driftgate.surface.difference import Kind, Level
from insides.test_diff import differences

KINDS = (Kind.REFUSAL_ADDED, Kind.REFUSAL_CHANGED, Kind.PARAM_HONOURED)
ONLY_A = "def f(kind, x, y=0):\n    if x != E.a: raise ValueError\n    return g((x, y))"
A_OR_B = (
    "def f(kind, x, y=0):\n    if x != E.a and x != E.b: raise ValueError\n    return g((x, y))"
)
IGNORES_Y = ONLY_A.replace("(x, y)", "x")
# (before, after, what is found as (kind, level))
CASES = [
    # More is let through: of one name, of two, or of what a table lists.
    (
        A_OR_B,
        A_OR_B.replace("x != E.a and x != E.b", "x not in (E.a, E.b, E.c)"),
        [(Kind.REFUSAL_CHANGED, Level.ADDITIVE)],
    ),
    (
        ONLY_A,
        """def f(kind, x, y=0):
    table = {E.b: 1, E.c: 2}
    if x not in (E.a, *table.keys()): raise ValueError
    if x in table and y > 3: raise ValueError
    return g((x, y))""",
        [(Kind.REFUSAL_CHANGED, Level.ADDITIVE), (Kind.REFUSAL_ADDED, Level.ADDITIVE)],
    ),
    # Less is let through, or what was: a worker meets it.
    (A_OR_B, ONLY_A, [(Kind.REFUSAL_CHANGED, Level.DANGEROUS)]),
    (
        ONLY_A,
        f"{ONLY_A[:-20]}\n    if x in (E.a, E.b) and y > 3: raise TypeError\n    return g((x, y))",
        [(Kind.REFUSAL_ADDED, Level.DANGEROUS)],
    ),
    # Who left before the refusal did not meet it: that is no refusal of all the others.
    (
        "def f(kind, x, y=0):\n    if x > 0: return g((x, y))\n    raise ValueError",
        """def f(kind, x, y=0):
    if y > 3: raise TypeError
    if x > 0: return g((x, y))
    raise ValueError""",
        [(Kind.REFUSAL_ADDED, Level.DANGEROUS)],
    ),
    # Only with a new member, spelled there, by way of a name, or of a table of new ones.
    (
        "def f(kind, x, y=0): return g((x, y))",
        """def f(kind, x, y=0):
    fresh = (E.new_member,)
    if x in fresh:
        if y > 3: raise ValueError
    return g((x, y))""",
        [(Kind.REFUSAL_ADDED, Level.ADDITIVE)],
    ),
    # Only without it: that is everybody who worked.
    (
        "def f(kind, x, y=0): return g((x, y))",
        """def f(kind, x, y=0):
    if x != E.new_member:
        if y > 3: raise ValueError
    return g((x, y))""",
        [(Kind.REFUSAL_ADDED, Level.DANGEROUS)],
    ),
    (
        "def f(kind, x, y=0): return g((x, y))",
        """def f(kind, x, y=0):
    if x in (E.a, E.new_member):
        if y > 3: raise ValueError
    return g((x, y))""",
        [(Kind.REFUSAL_ADDED, Level.DANGEROUS)],
    ),
    # A member of a class that nobody watches.
    (
        "class Q:\n    A = 0\ndef f(kind, x, y=0): return g((Q.A, x, y))",
        """class Q:
    A = 0
    B = 1
def f(kind, x, y=0):
    if g(y) == Q.B: raise ValueError
    return g((Q.A, x, y))""",
        [(Kind.REFUSAL_ADDED, Level.ADDITIVE)],
    ),
    # A new parameter that nobody sends yet, and that has to be sent.
    (
        "def f(kind, x): return g(x)",
        "def f(kind, x, fresh=None):\n    if fresh is None: raise ValueError\n    return g(x)",
        [(Kind.REFUSAL_ADDED, Level.DANGEROUS)],
    ),
    (
        "def f(kind, x): return g(x)",
        "def f(kind, x, new=None):\n    if x and new is None: raise ValueError\n    return g(x)",
        [(Kind.REFUSAL_ADDED, Level.DANGEROUS)],
    ),
    # A new limit is for everybody; a new demand is for who makes it.
    (
        "def f(kind, x): return g(x)",
        "def f(kind, x, most=8):\n    if x > most: raise ValueError\n    return g(x)",
        [(Kind.REFUSAL_ADDED, Level.DANGEROUS)],
    ),
    (
        "def f(kind, x): return g(x)",
        "def f(kind, x, fresh=E.a):\n    if x and fresh == E.b: raise ValueError\n    return g(x)",
        [(Kind.REFUSAL_ADDED, Level.ADDITIVE)],
    ),
    # A parameter that counts now, where the call was refused before.
    (
        IGNORES_Y,
        """def f(kind, x, y=0):
    if x not in (E.a, E.b): raise ValueError
    if x == E.b: return h(y)
    return g(x)
def h(y): return y""",
        [(Kind.REFUSAL_CHANGED, Level.ADDITIVE), (Kind.PARAM_HONOURED, Level.ADDITIVE)],
    ),
    (
        IGNORES_Y,
        """def f(kind, x, y=0):
    if x not in (E.a, E.b): raise ValueError
    return h(y, x)
def h(y, x): return y""",
        [(Kind.REFUSAL_CHANGED, Level.ADDITIVE), (Kind.PARAM_HONOURED, Level.DANGEROUS)],
    ),
]


@pytest.mark.parametrize(("before", "after", "expected"), CASES)
def test_who_meets_it(before: str, after: str, expected: list[tuple[Kind, Level]]) -> None:
    """What asks for something new, or was refused, is nobody's who worked; the rest may be."""
    found = {
        (kind, level)
        for kind, level, where in differences(before, after)
        if where.startswith("[a, b") and kind in KINDS
    }

    assert found == set(expected)


@pytest.mark.parametrize(
    ("test", "expected"),
    [
        ("x == 1 and not (y or z)", ("x in (1,)", "not y", "not z")),
        ("x in {E.a: 1, E.b: 2}.keys()", ("x in (E.a, E.b)",)),
        ("not (x not in [1, *{2}])", ("x in (1, 2)",)),
        ("y or x == 1", ("y or x == 1",)),
        ("x in table", ("x in table",)),
    ],
)
def test_conjuncts(test: str, expected: tuple[str, ...]) -> None:
    """A condition is told as what must all hold; what a table holds is told by its keys."""
    assert conjuncts(test) == expected


@pytest.mark.parametrize(
    ("path", "wanted", "expected"),
    [
        (("x in (1, 2)",), ("x not in (3,)",), True),
        (("x in (1, 3)",), ("x not in (3,)",), False),
        (("x not in (1, 2)",), ("x not in (1,)",), True),
        (("x not in (1,)",), ("x not in (1, 2)",), False),
        (("x in (1,)", "y"), ("x in (1, 2)",), True),
        (("x in (1, n)",), ("x not in (3,)",), False),
        (("x in (1, *n)",), ("x not in (3,)",), False),
        (("y",), ("y", "z"), False),
        (("…",), ("…",), False),
        ((), (), True),
    ],
)
def test_implies(path: tuple[str, ...], wanted: tuple[str, ...], expected: bool) -> None:
    """One thing is one of its names: others are ruled out; what is not told is not known."""
    assert implies(path, wanted) == expected


def test_needs_new() -> None:
    """Where one of the conditions cannot hold without a new name."""
    names = frozenset({"new"})

    assert needs_new(("y", "x in (E.new,)"), names)
    assert not needs_new(("x in (E.new, E.old)",), names)
    assert not needs_new(("x not in (E.new,)",), names)
    assert needs_new(("y > 3 and x == E.new",), names)
    assert not needs_new(("y > 3 or x == E.new",), names)
