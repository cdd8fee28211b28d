"""Calls against made-up releases: each verdict, and the near miss beside it."""

from __future__ import annotations

import pytest

from calls.snippets import read
from driftgate.calls.binding import Verdict, bind
from driftgate.calls.facts import ReleaseFacts
from driftgate.calls.rules import CallRules, Matters
from driftgate.surface.reader import read_surface
from driftgate.surface.sources import SourceTree
from driftgate.surface.target import Target, Watched
from surface.sources import Texts

RULES = CallRules(
    module="flashinfer.comm",
    returns={"flashinfer.comm.make": ("flashinfer.comm:Wide", "flashinfer.comm:Narrow")},
    distinctive={},
    matters=(Matters("flashinfer.comm.make", "group", "or else WORLD"),),
    narrowed={},
)
WATCHED = ("make", "Wide", "Narrow", "Kind")
CLASSES = """
class Kind:
    fast = 0
class Wide:
    def size_ok(self, tokens, hint=None): ...
class Narrow:
    def size_ok(self, tokens, strategy=None): ...
"""
MAKE = "def make(world, rank=0): ..."


def release(text: str, name: str = "1.0") -> ReleaseFacts:
    """A release whose ``flashinfer.comm`` is ``text``, read as real ones are."""
    rows = tuple(Watched(f"flashinfer.comm:{one}", ("ours",), "a test") for one in WATCHED)
    target = Target("flashinfer-python", "flashinfer", "0", rows)
    files = Texts({"flashinfer/__init__.py": "", "flashinfer/comm/__init__.py": text})
    return ReleaseFacts(read_surface(SourceTree(files, "flashinfer"), target, name), RULES)


def verdicts(consumer: str, text: str, pinned: str | None = None) -> list[tuple[str, Verdict, str]]:
    """Symbol, verdict and parameter of each binding of a consumer on a release."""
    before = None if pinned is None else release(pinned, "0.9")
    found = bind(read(consumer), release(text), RULES, before)
    return [(one.symbol, one.verdict, one.parameter) for one in found]


def on_make(call: str, text: str, pinned: str | None = None) -> list[tuple[Verdict, str]]:
    """The same for a consumer that is one call."""
    consumer = f"import flashinfer.comm as comm\ndef start(on, kw):\n    {call}\n"
    return [(verdict, name) for _, verdict, name in verdicts(consumer, text, pinned)]


@pytest.mark.parametrize(
    ("call", "signature", "expected"),
    [
        ("comm.make(world=1)", "world, rank=0", [(Verdict.ACCEPTS, "")]),
        ("comm.make(world=1, lamport=1)", "world, rank=0", [(Verdict.REJECTS, "lamport")]),
        ("comm.make(world=1, lamport=1)", "world, **options", [(Verdict.ACCEPTS, "")]),
        ("comm.make(world=1, rank=1)", "world, rank, /", [
            (Verdict.REJECTS, "world"),
            (Verdict.REJECTS, "rank"),
            (Verdict.LACKS, "world"),
            (Verdict.LACKS, "rank"),
        ]),
        ("comm.make(1, 2, 3)", "world, rank=0", [(Verdict.REJECTS, "")]),
        ("comm.make(1, 2, 3)", "world, *more", [(Verdict.ACCEPTS, "")]),
        ("comm.make(1, 2)", "world, *, rank=0", [(Verdict.REJECTS, "")]),
        ("comm.make(1, world=1)", "world, rank=0", [(Verdict.REJECTS, "world")]),
        ("comm.make(rank=1)", "world, rank=0", [(Verdict.LACKS, "world")]),
        ("comm.make(rank=1)", "world=0, rank=0", [(Verdict.ACCEPTS, "")]),
        ("comm.make(world=1)", "world, group=None", [(Verdict.UNSENT, "group")]),
        ("comm.make(world=1, group=2)", "world, group=None", [(Verdict.ACCEPTS, "")]),
        ("comm.make(1, 2)", "world, group=None", [(Verdict.ACCEPTS, "")]),
        (
            "comm.make(world=1, **({'group': 2} if on else {}))",
            "world, group=None",
            [(Verdict.ACCEPTS, "")],
        ),
        ("comm.make(world=1, **kw)", "world, group=None", [(Verdict.UNRESOLVED, "")]),
        ("comm.make(lamport=1, **kw)", "world, group=None", [
            (Verdict.REJECTS, "lamport"),
            (Verdict.UNRESOLVED, ""),
        ]),
    ],
)  # fmt: skip
def test_a_call_binds_as_python_would(
    call: str, signature: str, expected: list[tuple[Verdict, str]]
) -> None:
    """Each expectation is what Python 3.11 says to the same call, or what the rule asks for."""
    assert expected == on_make(call, f"def make({signature}): ...")


def test_a_call_of_a_missing_symbol() -> None:
    """It is missing, unless the consumer asks first."""
    guarded = "if hasattr(comm, 'make'): comm.make(world=1)"

    assert on_make("comm.make(world=1)", "other = 1") == [(Verdict.MISSING, "")]
    assert on_make(guarded, "other = 1") == [(Verdict.GUARDED, "")]
    assert on_make(guarded, MAKE) == [(Verdict.ACCEPTS, "")]


def test_an_insertion_breaks_positions_and_not_keywords() -> None:
    """``hint`` goes in before ``rank``: only a call by position notices."""
    old, new = "def make(world, rank=0): ...", "def make(world, hint=None, rank=0): ..."

    assert on_make("comm.make(1, 2)", new, old) == [(Verdict.SHIFTED, "rank")]
    assert on_make("comm.make(world=1, rank=2)", new, old) == [(Verdict.ACCEPTS_BY_KEYWORD, "rank")]
    assert on_make("comm.make(1)", new, old) == [(Verdict.ACCEPTS, "")]


def test_a_parameter_at_the_end_moves_nothing() -> None:
    """The commonest harmless change is not told apart from no change."""
    old, new = "def make(world, rank=0): ...", "def make(world, rank=0, hint=None): ..."

    assert on_make("comm.make(1, 2)", new, old) == [(Verdict.ACCEPTS, "")]
    assert on_make("comm.make(world=1, rank=2)", new, old) == [(Verdict.ACCEPTS, "")]


HINTING = """
import inspect
import flashinfer.comm as comm
class Manager:
    def start(self):
        self.workspace = comm.make(world=1)
    def fits(self, tokens, oneshot):
        {body}
        return self.workspace.size_ok(**kw)
"""
ALWAYS_HINTS = HINTING.format(body="kw = dict(tokens=tokens, hint=oneshot)")
ASKS_FIRST = HINTING.format(
    body="""kw = dict(tokens=tokens)
        names = inspect.signature(self.workspace.size_ok).parameters
        if "hint" in names:
            kw["hint"] = oneshot
        elif "strategy" in names:
            kw["strategy"] = oneshot"""
)


def test_a_method_is_bound_to_every_class_that_a_call_can_return() -> None:
    """Two workspaces speak two dialects: the hint is a TypeError for one of them."""
    text = MAKE + CLASSES

    assert verdicts(ALWAYS_HINTS, text) == [
        ("make", Verdict.ACCEPTS, ""),
        ("Wide.size_ok", Verdict.ACCEPTS, ""),
        ("Narrow.size_ok", Verdict.REJECTS, "hint"),
    ]


def test_a_question_about_a_method_is_answered_class_by_class() -> None:
    """Who asks the signature first is right for both."""
    found = verdicts(ASKS_FIRST, MAKE + CLASSES)

    assert {verdict for _, verdict, _ in found} == {Verdict.ACCEPTS}
    assert len(found) == 3


def test_a_class_that_a_release_lacks_is_left_out() -> None:
    """No verdict on a workspace that cannot be returned."""
    text = MAKE + "\nclass Wide:\n    def size_ok(self, tokens, hint=None): ...\n"

    assert ("Narrow.size_ok", Verdict.REJECTS, "hint") not in verdicts(ALWAYS_HINTS, text)
    assert ("Wide.size_ok", Verdict.ACCEPTS, "") in verdicts(ALWAYS_HINTS, text)


def test_a_member_that_is_gone_is_missing() -> None:
    """An enumeration's members are all recorded; what an object holds is not."""
    consumer = """
        import flashinfer.comm as comm
        def start():
            return comm.Kind.slow, comm.make(world=1).pointer
        """

    assert verdicts(consumer, MAKE + CLASSES) == [
        ("make", Verdict.ACCEPTS, ""),
        ("Kind.slow", Verdict.MISSING, ""),
    ]


def test_the_site_and_the_condition_are_told() -> None:
    """What a maintainer needs to find the line and the case."""
    consumer = """
        import flashinfer.comm as comm
        def start(fp32):
            kw = dict(world=1)
            if fp32:
                kw["lamport"] = True
            comm.make(**kw)
        """

    [found] = bind(read(consumer), release(MAKE), RULES)

    assert found.as_dict() == {
        "release": "1.0",
        "site": "eng/fusion.py:7",
        "symbol": "make",
        "verdict": "rejects",
        "parameter": "lamport",
        "detail": "sent if fp32",
    }
