"""What is known of a value without running anything: what it may be, and what it depends on."""

from __future__ import annotations

import ast
from dataclasses import dataclass

_MAX_TERMS = 6
_MAX_TEXT = 60


@dataclass(frozen=True)
class Term:
    """One thing that a value may be.

    Attributes:
        text: Source text in terms of the entry's parameters.
        literal: Whether ``text`` is a literal, and so the value itself.
        instance: ``module:Class`` where it is an instance of a class of the package.
    """

    text: str
    literal: bool = False
    instance: str = ""


SOMETHING = Term("…")


@dataclass(frozen=True)
class Value:
    """What an expression may be.

    Attributes:
        terms: The possibilities.
        params: Parameters of the entry that it depends on.
    """

    terms: frozenset[Term]
    params: frozenset[str] = frozenset()

    @property
    def texts(self) -> tuple[str, ...]:
        """The possibilities as text, in order."""
        return tuple(sorted({term.text for term in self.terms}))

    @property
    def truth(self) -> bool | None:
        """Whether it is true; None where that cannot be told."""
        answers = {_truth(term) for term in self.terms}
        return answers.pop() if len(answers) == 1 else None

    @property
    def is_none(self) -> bool | None:
        """Whether it is None; None where that cannot be told."""
        answers = {_is_none(term) for term in self.terms}
        return answers.pop() if len(answers) == 1 else None

    def depending(self, params: frozenset[str]) -> Value:
        """Return the value, depending on ``params`` too."""
        return Value(self.terms, self.params | params) if params else self

    def where(self, name: str, given: Value) -> Value:
        """Return the value where the parameter ``name`` is ``given``."""
        if not any(term.text == name for term in self.terms):
            return self
        kept = frozenset(term for term in self.terms if term.text != name)
        return Value(kept | given.terms, self.params)


NOTHING = Value(frozenset({Term("None", literal=True)}))


def literal(value: object) -> Value:
    """Return the value of a literal."""
    return Value(frozenset({Term(repr(value), literal=True)}))


def spelled(text: str, *parts: Value, instance: str = "") -> Value:
    """Return a value that depends on ``parts`` and is known by ``text`` only."""
    return Value(
        frozenset({Term(text if len(text) <= _MAX_TEXT else "…", instance=instance)}),
        frozenset().union(*(part.params for part in parts)),
    )


def joined(*values: Value) -> Value:
    """Return what is one of ``values``."""
    terms = frozenset().union(*(value.terms for value in values))
    params = frozenset().union(*(value.params for value in values))
    return Value(terms if len(terms) <= _MAX_TERMS else frozenset({SOMETHING}), params)


def shown(value: Value) -> str:
    """Return the possibilities as one text."""
    return " | ".join(value.texts)


def _truth(term: Term) -> bool | None:
    if term.literal:
        return bool(ast.literal_eval(term.text))
    return True if term.instance else None


def _is_none(term: Term) -> bool | None:
    if term.literal:
        return term.text == "None"
    return False if term.instance else None
