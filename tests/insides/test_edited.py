"""Code that was written anew under an equal signature."""

from __future__ import annotations

import pytest

from driftgate.insides.edited import edited_bodies
from driftgate.insides.target import EntryRow, InsidesTarget
from driftgate.surface.difference import Difference, Kind, Level
from insides.sources import LOW_LEVEL, insides_of

ENTRIES = (EntryRow("pkg:make", select="kind", values=("a", "b")), EntryRow("pkg:run"))
TARGET = InsidesTarget("pkg", LOW_LEVEL, ENTRIES)
WATCHED = ("pkg:size", "pkg:make", "pkg:run", "pkg:Pair", "pkg:Buffer")
FORM = """
ALIGNMENT = {alignment}
other = {other}
def size(x):
    {size}
def _aligned(x):
    {aligned}
def unwatched(x):
    {unwatched}
class Buffer:
    def __init__(self): {buffer}
class Pair:
    def __init__(self, x):
        {pair}
    {decorator}def check(self, x):
        {check}
    def _inner(self, x):
        {inner}
def make(kind, x):
    {make}
    if kind == "a":
        return Pair(x)
    return run(x)
def run(x):
    {run}
"""
BEFORE = {
    "size": "return _aligned(x) * 2",
    "alignment": "1 << 4",
    "other": "1",
    "aligned": "return x // ALIGNMENT * ALIGNMENT",
    "unwatched": "return x",
    "buffer": "pass",
    "pair": "self.size = size(x)",
    "decorator": "",
    "check": "return self._inner(x)",
    "inner": "return x < 3",
    "make": "pass",
    "run": "return x",
}


def edited(*told: Difference, **after: str) -> list[tuple[str, str]]:
    """Where code is told to be other, as (symbol, where)."""
    old, new = (
        insides_of({"pkg/__init__.py": FORM.format(**texts)}, *ENTRIES, watched=WATCHED)
        for texts in (BEFORE, {**BEFORE, **after})
    )
    return [(item.symbol, item.where) for item in edited_bodies(old, new, TARGET, told)]


@pytest.mark.parametrize(
    ("part", "code", "expected"),
    [
        ("size", "return _aligned(x) * 4", [("pkg:size", ""), ("pkg:make", "[a]")]),
        ("aligned", "return x // 32 * 32", [("pkg:size", ""), ("pkg:make", "[a]")]),
        ("alignment", "1 << 5", [("pkg:size", ""), ("pkg:make", "[a]")]),
        ("other", "2", []),
        ("unwatched", "return 1", []),
        ("buffer", "self.x = 1", []),
        ("pair", "self.size = 8", [("pkg:make", "[a]")]),
        ("check", "return not self._inner(x)", [("pkg:Pair", "check")]),
        ("inner", "return x < 4", [("pkg:Pair", "check")]),
        ("decorator", "@trace\n    ", []),
        ("make", "x = x + 1", []),
        ("run", "return x + 1", [("pkg:run", "")]),
        ("run", "'Said anew.'\n    logger.info(x)\n    return x", []),
    ],
)
def test_what_is_told(part: str, code: str, expected: list[tuple[str, str]]) -> None:
    """Watched code with its private helpers; a constructor's by the branch that calls it.

    Not what is said, decorated or low-level, nor an entry that is read branch by branch.
    """
    assert edited(**{part: code}) == expected


def test_what_another_difference_explains_is_not_told_again() -> None:
    """A parameter more is reason enough for other code; a decorator is none."""
    code = "return _aligned(x) * 4"
    added = Difference(Kind.PARAM_APPENDED, Level.ADDITIVE, "pkg:size", "(y)")
    traced = Difference(Kind.DECORATORS_CHANGED, Level.COSMETIC, "pkg:size")
    elsewhere = Difference(Kind.PARAM_APPENDED, Level.ADDITIVE, "pkg:Pair", "check(y)")

    assert edited(added, size=code) == [("pkg:make", "[a]")]
    assert ("pkg:size", "") in edited(traced, size=code)
    assert ("pkg:size", "") in edited(elsewhere, size=code)
    assert edited(elsewhere, check="return 1") == []
