"""When a value is true, has an attribute, holds a name or equals another."""

from __future__ import annotations

from typing import TYPE_CHECKING

from driftgate.calls.conditions import (
    ALWAYS,
    NEVER,
    Condition,
    Exists,
    Takes,
    all_of,
    any_of,
    asks,
    negate,
    opaque,
    paired,
)
from driftgate.calls.values import (
    Atom,
    Constant,
    Flag,
    Items,
    Keywords,
    Local,
    LocalClass,
    LocalObject,
    Parameters,
    Partial,
    Upstream,
    Value,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

NEVER_NONE = (Flag, Keywords, Items, Parameters, Partial, Local, LocalClass, LocalObject, Upstream)


def truth(value: Value, text: str) -> Condition:
    """Return when ``value`` is true."""
    return _over((a.when, _atom_truth(a.atom, text)) for a in value)


def _atom_truth(atom: Atom, text: str) -> Condition:
    if isinstance(atom, Constant):
        return ALWAYS if atom.value else NEVER
    if isinstance(atom, Flag):
        return atom.condition
    if isinstance(atom, Upstream):
        return opaque(text) if atom.returned else ALWAYS
    if isinstance(atom, Local | LocalClass | LocalObject):
        return ALWAYS
    return opaque(text)


def _over(cases: Iterable[tuple[Condition, Condition]]) -> Condition:
    """Of several cases, of which one is the case: return when the condition of that one holds."""
    met, unmet = [], []
    for when, condition in cases:
        met.append(all_of(when, condition))
        unmet.append(all_of(when, negate(condition)))
    return paired(any_of(*met), any_of(*unmet))


def existence(value: Value, name: str, text: str) -> Condition:
    """Return when ``value`` has an attribute called ``name``."""
    return _over(
        (
            alternative.when,
            asks(Exists(f"{alternative.atom.path}.{name}"))
            if isinstance(alternative.atom, Upstream)
            else opaque(text),
        )
        for alternative in value
        if alternative.atom != Constant(None)
    )


def membership(left: Value, right: Value, text: str) -> Condition:
    """Return when ``left`` is in ``right``."""
    return _over(
        (all_of(mine.when, theirs.when), _contains(theirs.atom, mine.atom, text))
        for mine in left
        for theirs in right
        if theirs.atom != Constant(None)
    )


def _contains(container: Atom, item: Atom, text: str) -> Condition:
    if not isinstance(item, Constant) or not isinstance(item.value, str):
        return opaque(text)
    if isinstance(container, Parameters):
        return asks(Takes(container.symbol, item.value))
    if isinstance(container, Keywords):
        entry = container.entry(item.value)
        if entry is not None:
            return entry.when
        return opaque(text) if container.unresolved else NEVER
    if isinstance(container, Items):
        constants = [a.atom for value in container.values for a in value]
        if all(isinstance(atom, Constant) for atom in constants):
            return ALWAYS if item in constants else NEVER
    return opaque(text)


def sameness(left: Value, right: Value, text: str) -> Condition:
    """Return when ``left`` and ``right`` are the same."""
    return _over(
        (all_of(mine.when, theirs.when), _same_atoms(mine.atom, theirs.atom, text))
        for mine in left
        for theirs in right
    )


def _same_atoms(one: Atom, other: Atom, text: str) -> Condition:
    if isinstance(one, Constant) and isinstance(other, Constant):
        return ALWAYS if one == other else NEVER
    if Constant(None) in (one, other) and isinstance(one, NEVER_NONE) != isinstance(
        other, NEVER_NONE
    ):
        return NEVER
    return opaque(text)
