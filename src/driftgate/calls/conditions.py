"""Conditions under which something in a consumer happens, and whether a release meets them.

A consumer asks the upstream what it can do (``"group" in signature(f).parameters``, ``hasattr``,
``try: import``) and sends a keyword only then. A condition keeps those questions, as answers that
*must* be given for it to hold, apart from all else it may depend on. That is less than logic: of
"a or b" only what both need is kept, and of "not (a and b)" nothing. What is lost makes an answer
"maybe", never wrong, and conditions stay small however deep a program nests them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

MOST_TERMS = 30
LONGEST_TEXT = 100


@dataclass(frozen=True)
class Takes:
    """The upstream callable ``symbol`` has a parameter called ``parameter``."""

    symbol: str
    parameter: str


@dataclass(frozen=True)
class Exists:
    """The upstream has ``symbol``, a dotted path."""

    symbol: str


Question = Takes | Exists


@dataclass(frozen=True)
class Term:
    """One test on the way.

    Attributes:
        text: As the source spells it.
        needs: The answers without which it fails.
        sure: Whether it holds wherever those answers are given.
    """

    text: str
    needs: frozenset[tuple[Question, bool]] = frozenset()
    sure: bool = False


@dataclass(frozen=True)
class Condition:
    """Holds where all ``terms`` do.

    Attributes:
        terms: The tests, in order; none means always.
        possible: False for what can never hold.
        opposite: Its negation where more is known of that than can be worked out.
    """

    terms: tuple[Term, ...] = ()
    possible: bool = True
    opposite: Condition | None = field(default=None, compare=False, repr=False)

    @property
    def needs(self) -> frozenset[tuple[Question, bool]]:
        """All answers without which it fails."""
        return frozenset(need for term in self.terms for need in term.needs)

    @property
    def sure(self) -> bool:
        """Whether it holds wherever its needs are met."""
        return all(term.sure for term in self.terms)


ALWAYS = Condition()
NEVER = Condition(possible=False)
UNSURE = Condition((Term("it depends"),))


def opaque(text: str) -> Condition:
    """Return a condition that only a run could decide."""
    return Condition((Term(text),))


def asks(question: Question) -> Condition:
    """Return the condition that ``question`` is answered by yes."""
    if isinstance(question, Takes):
        text = f"{question.symbol} takes {question.parameter}"
    else:
        text = f"{question.symbol} exists"
    return Condition((Term(text, frozenset({(question, True)}), sure=True),))


def named(text: str, condition: Condition) -> Condition:
    """Return ``condition`` as one test that is spelled ``text``."""
    if condition in (ALWAYS, NEVER):
        return condition
    term = Term(text, condition.needs, condition.sure)
    other = negate(condition)
    opposite = Condition((Term(f"not ({text})", other.needs, other.sure),), other.possible)
    return paired(Condition((term,)), opposite)


def paired(condition: Condition, opposite: Condition) -> Condition:
    """Return ``condition``, knowing that ``opposite`` is its negation."""
    bare = Condition(condition.terms, condition.possible)
    return Condition(
        condition.terms,
        condition.possible,
        Condition(opposite.terms, opposite.possible, bare),
    )


def all_of(*parts: Condition) -> Condition:
    """Join conditions by "and"."""
    if not all(part.possible for part in parts):
        return NEVER
    real = [part for part in parts if part.terms]
    if len(real) == 1:
        return real[0]
    joined = Condition(tuple(dict.fromkeys(term for part in real for term in part.terms)))
    return joined if len(joined.terms) <= MOST_TERMS else distil(joined)


def any_of(*parts: Condition) -> Condition:
    """Join conditions by "or"."""
    real = list(dict.fromkeys(part for part in parts if part.possible))
    if not real:
        return NEVER
    if len(real) == 1:
        return real[0]
    if ALWAYS in real:
        return ALWAYS
    needs = frozenset.intersection(*(part.needs for part in real))
    sure = any(part.sure and part.needs == needs for part in real)
    text = " or ".join(dict.fromkeys(describe(part) for part in real))
    if len(text) > LONGEST_TEXT:
        text = "one of several conditions"
    return Condition((Term(text, needs, sure),))


def negate(condition: Condition) -> Condition:
    """Return the opposite of ``condition``."""
    if condition.opposite is not None:
        return condition.opposite
    if condition in (ALWAYS, NEVER):
        return NEVER if condition == ALWAYS else ALWAYS
    text = f"not ({describe(condition)})"
    if condition.sure and len(condition.needs) == 1:
        ((question, answer),) = condition.needs
        term = Term(text, frozenset({(question, not answer)}), sure=True)
    else:
        term = Term(text)
    return Condition((term,), opposite=condition)


def without(condition: Condition, known: Condition) -> Condition:
    """Leave out of ``condition`` what ``known`` says already."""
    return Condition(
        tuple(term for term in condition.terms if term not in known.terms), condition.possible
    )


def distil(condition: Condition) -> Condition:
    """Keep of ``condition`` only what a release can answer."""
    if condition in (ALWAYS, NEVER):
        return condition
    needs, sure = condition.needs, condition.sure
    return Condition((Term("it depends", needs, sure),)) if needs or not sure else ALWAYS


def holds(condition: Condition, answer: Callable[[Question], bool | None]) -> bool | None:
    """Whether ``condition`` holds where ``answer`` answers the questions; None: maybe."""
    if not condition.possible:
        return False
    met = [
        (answered == wanted, answered)
        for question, wanted in condition.needs
        for answered in [answer(question)]
    ]
    if any(answered is not None and not same for same, answered in met):
        return False
    known = all(answered is not None for _, answered in met)
    return True if known and condition.sure else None


def describe(condition: Condition) -> str:
    """Return ``condition`` as text; empty where it always holds."""
    if not condition.possible:
        return "never"
    return " and ".join(term.text for term in condition.terms)
