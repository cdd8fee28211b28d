"""What a difference between two surfaces asks of a consumer: (old, new, consumer, verdicts)."""

from __future__ import annotations

import pytest

from bump.rig import judge_texts
from driftgate.bump.uses import SeenCall

BY_NAME = """
    import pkg
    w = pkg.make(size=1, dtype=None)
"""
BY_POSITION = """
    import pkg
    w = pkg.make(1, None)
"""
UNUSED = """
    import pkg
    print(pkg.LIMIT)
"""
MAKE = "def make(size, dtype): ...\n"
INSERTED = "def make(size, between=0, dtype=None): ..."
CASES = [
    # A parameter in the middle: only a caller by position gets another one.
    (MAKE, INSERTED, BY_NAME, "param-inserted make", "keyword"),
    (MAKE, INSERTED, BY_POSITION, "param-inserted make", "change"),
    # At the end, nobody notices; but this one decides over which peers a sum goes.
    (MAKE, "def make(size, dtype, more=0): ...", BY_POSITION, "param-appended make", "safe"),
    (MAKE, "def make(size, dtype, group=None): ...", BY_NAME, "param-appended make", "change"),
    # What is sent goes, or what is not sent has to be.
    (MAKE, "def make(size): ...", BY_NAME, "param-removed make", "change"),
    (MAKE, "def make(size, dtype, extra): ...", BY_NAME, "param-required-added make", "change"),
    ("def make(size, dtype, old=1): ...", MAKE, BY_NAME, "param-removed make", "safe"),
    # Order and kind.
    (MAKE, "def make(dtype, size): ...", BY_NAME, "params-reordered make", "keyword"),
    (MAKE, "def make(dtype, size): ...", BY_POSITION, "params-reordered make", "change"),
    (MAKE, "def make(*, size, dtype): ...", BY_NAME, "param-kind-changed make", "keyword"),
    (MAKE, "def make(*, size, dtype): ...", BY_POSITION, "param-kind-changed make", "change"),
    # A default: who leaves it out gets another meaning, who sends it does not.
    ("def make(size, dtype, pdl=True): ...", "def make(size, dtype, pdl=False): ...", BY_NAME,
     "default-changed make", "gpu"),
    ("def make(size, dtype='a'): ...", "def make(size, dtype='b'): ...", BY_NAME,
     "default-changed make", "keyword"),
    # Gone altogether.
    (MAKE, "", BY_NAME, "symbol-removed make", "change"),
    (MAKE, "", "import pkg\nif hasattr(pkg, 'make'):\n    pkg.make(size=1, dtype=2)\n",
     "symbol-removed make", "safe"),
    # There in some installations only: who asks first notices nothing.
    (MAKE, "try:\n    def make(size, dtype): ...\nexcept ImportError:\n    pass", BY_NAME,
     "guard-changed make", "gpu"),
    (MAKE, "try:\n    def make(size, dtype): ...\nexcept ImportError:\n    pass",
     "import pkg\nif hasattr(pkg, 'make'):\n    pkg.make(size=1, dtype=2)\n",
     "guard-changed make", "safe"),
    ("if True:\n    def make(size, dtype): ...", MAKE, BY_NAME, "guard-changed make", "safe"),
    # Enumerations are used by name.
    ("class Mode:\n    A = 0\n    B = 1", "class Mode:\n    B = 0\n    A = 1",
     "import pkg\nx = pkg.Mode.A", "value-changed Mode", "safe"),
    ("class Mode:\n    A = 0\n    B = 1", "class Mode:\n    B = 1",
     "import pkg\nx = pkg.Mode.A", "member-removed Mode.A", "change"),
    # Subclasses owe what is abstract.
    ("import abc\nclass Base(abc.ABC):\n    pass",
     "import abc\nclass Base(abc.ABC):\n    @abc.abstractmethod\n    def bcast(self): ...",
     "import pkg\nclass Mine(pkg.Base):\n    pass\n", "member-added Base", "change"),
    ("import abc\nclass Base(abc.ABC):\n    pass",
     "import abc\nclass Base(abc.ABC):\n    @abc.abstractmethod\n    def bcast(self): ...",
     "import pkg\nclass Mine(pkg.Base):\n    def bcast(self): ...\n", "member-added Base", "safe"),
    # A method of what a call returns.
    ("def make(): ...\nclass Made:\n    def fits(self, hint): ...",
     "def make(): ...\nclass Made:\n    def fits(self, strategy): ...",
     "import pkg\npkg.make().fits(hint=1)", "param-removed Made.fits", "change"),
    # Spelling.
    ("LIMIT: int = 3", "LIMIT: 'int' = 3", UNUSED, "annotation-changed LIMIT", "safe"),
    ("LIMIT = 3", "LIMIT = 4", UNUSED, "value-changed LIMIT", "safe"),
]  # fmt: skip
SHORT = {
    "safe": "safe",
    "keyword": "safe because called by keyword",
    "gpu": "needs a GPU run",
    "change": "needs a change",
}


@pytest.mark.parametrize(("old", "new", "consumer", "what", "verdict"), CASES)
def test_verdict(old: str, new: str, consumer: str, what: str, verdict: str) -> None:
    """The same difference breaks one caller and is nothing to another."""
    assert judge_texts(old, new, consumer).verdicts()[what] == SHORT[verdict]


def test_call_site_and_what_to_write() -> None:
    """A maintainer is told the line and the keyword."""
    [line] = judge_texts(MAKE, "def make(size): ...", BY_NAME).lines

    assert line.sites == ("engine.py:3",)
    assert line.todo == "send dtype only where inspect.signature shows it"


def test_one_call_one_line() -> None:
    """The difference and the call that it breaks are not told twice."""
    judged = judge_texts(MAKE, "def make(*, size, dtype): ...", BY_POSITION)

    assert {line.symbol for line in judged.lines} == {"make"}
    assert "rejects make" not in judged.verdicts()


def test_what_nobody_uses_is_listed_apart() -> None:
    """A broken function that is not called asks for nothing."""
    judged = judge_texts(MAKE + "LIMIT = 1", "LIMIT = 1", UNUSED)

    assert judged.lines == []
    assert [each.symbol for each in judged.unused] == ["pkg:make"]


def test_broken_before_is_not_blamed_on_the_bump() -> None:
    """A keyword that neither release takes makes no line."""
    judged = judge_texts(MAKE, MAKE, "import pkg\npkg.make(size=1, dtype=2, lamport=3)")

    assert judged.lines == []


LOOKED_UP = "import pkg\nfind = getattr(pkg, input())\nname = 'make'\n"
SEEN = SeenCall("make", "engine.py:9", frozenset({"size", "dtype"}), frozenset({"size", "dtype"}))


def test_a_run_shows_what_the_text_does_not() -> None:
    """Where a function is called by what it is looked up with, the seen call is the evidence."""
    [line] = judge_texts(MAKE, INSERTED, LOOKED_UP, [SEEN]).lines[:1]

    assert line.verdict.value == SHORT["keyword"]
    assert line.sites == ("engine.py:9",)


def test_a_run_shows_a_call_by_position() -> None:
    """The same call by position is one that gets another parameter."""
    seen = SeenCall("make", "engine.py:9", SEEN.args, frozenset())

    [line] = judge_texts(MAKE, INSERTED, LOOKED_UP, [seen]).lines[:1]

    assert line.verdict.value == SHORT["change"]
