"""Compare two surfaces: every inequality gives at least one difference."""

from __future__ import annotations

from typing import TYPE_CHECKING

from driftgate.surface.diff_params import compare_params
from driftgate.surface.difference import Difference, Kind, Level
from driftgate.surface.model import Class, Constant, Definition, Function, Guard, Symbol

if TYPE_CHECKING:
    from collections.abc import Iterator

    from driftgate.surface.model import Surface

# These decide how a function is called, others only what happens around the call.
_CALL_DECORATORS = {"staticmethod", "classmethod", "property"}
# Not there where an import fails, or a condition does not hold.
_UNSURE = (Guard.TRY, Guard.IF)
# Consumers cannot tell these from object, but by instantiating or isinstance.
_FORMAL_BASES = frozenset({"abc:ABC", "typing:Protocol"})


def diff(old: Surface, new: Surface) -> list[Difference]:
    """Return what differs, in the order of the target file."""
    names = dict.fromkeys([*old.symbols, *new.symbols])
    formal = _FORMAL_BASES.union(*(_protocol_names(symbol) for symbol in new.symbols.values()))
    return [
        difference
        for name in names
        for difference in _symbols(
            old.symbols.get(name, Symbol(name)), new.symbols.get(name, Symbol(name)), formal
        )
    ]


def _protocol_names(symbol: Symbol) -> set[str]:
    """Return the names of a class whose instances are told by what they have, not by bases."""
    definition = symbol.definition
    if not isinstance(definition, Class) or "typing:Protocol" not in definition.bases:
        return set()
    told = "typing.runtime_checkable" in definition.decorators
    return {symbol.id, symbol.defined_in} if told else set()


def _symbols(old: Symbol, new: Symbol, formal: frozenset[str]) -> Iterator[Difference]:
    name = old.id
    if old.definition is None or new.definition is None:
        if old.definition is not None:
            yield Difference(
                Kind.SYMBOL_REMOVED, Level.BREAKING, name, old=describe(old.definition)
            )
        elif new.definition is not None:
            yield Difference(Kind.SYMBOL_ADDED, Level.ADDITIVE, name, new=describe(new.definition))
        return
    if old.defined_in != new.defined_in:
        yield Difference(
            Kind.SYMBOL_MOVED,
            Level.COSMETIC,
            name,
            old=old.defined_in,
            new=new.defined_in,
            note="still reached by its watched name",
        )
    if old.guard is not new.guard:
        lost = new.guard in _UNSURE and old.guard not in _UNSURE
        yield Difference(
            Kind.GUARD_CHANGED,
            Level.DANGEROUS if lost else Level.COSMETIC,
            name,
            old=old.guard.value,
            new=new.guard.value,
            note="not there in every installation" if lost else "",
        )
    if old.lazy_annotations is not new.lazy_annotations:
        yield Difference(
            Kind.ANNOTATIONS_POSTPONED,
            Level.COSMETIC,
            name,
            old=str(old.lazy_annotations),
            new=str(new.lazy_annotations),
        )
    if isinstance(old.definition, Class) and isinstance(new.definition, Class):
        yield from _bases(name, old.definition, new.definition, formal)
    yield from _definitions(name, "", old.definition, new.definition)


def _bases(name: str, old: Class, new: Class, formal: frozenset[str]) -> Iterator[Difference]:
    if old.bases != new.bases:
        lost = set(old.bases) - set(new.bases) - formal
        yield Difference(
            Kind.BASES_CHANGED,
            Level.BREAKING if lost else Level.COSMETIC,
            name,
            old=", ".join(old.bases) or None,
            new=", ".join(new.bases) or None,
        )


def _definitions(name: str, where: str, old: Definition, new: Definition) -> Iterator[Difference]:
    if isinstance(old, Function) and isinstance(new, Function):
        yield from _functions(name, where, old, new)
    elif isinstance(old, Class) and isinstance(new, Class):
        yield from _classes(name, old, new)
    elif isinstance(old, Constant) and isinstance(new, Constant):
        yield from _constants(name, where, old, new)
    elif type(old) is not type(new):
        yield Difference(
            Kind.SYMBOL_RETYPED, Level.BREAKING, name, where, describe(old), describe(new)
        )


def _functions(name: str, where: str, old: Function, new: Function) -> Iterator[Difference]:
    yield from compare_params(name, where, old.params, new.params)
    if old.returns != new.returns:
        yield Difference(Kind.RETURN_CHANGED, Level.COSMETIC, name, where, old.returns, new.returns)
    yield from _decorators(name, where, old.decorators, new.decorators)


def _decorators(
    name: str, where: str, old: tuple[str, ...], new: tuple[str, ...]
) -> Iterator[Difference]:
    if old == new:
        return
    calls = [_CALL_DECORATORS.intersection(decorators) for decorators in (old, new)]
    yield Difference(
        Kind.DECORATORS_CHANGED,
        Level.COSMETIC if calls[0] == calls[1] else Level.BREAKING,
        name,
        where,
        _listed(old),
        _listed(new),
    )


def _classes(name: str, old: Class, new: Class) -> Iterator[Difference]:
    yield from _decorators(name, "", old.decorators, new.decorators)
    for member in dict.fromkeys([*old.members, *new.members]):
        before, after = old.members.get(member), new.members.get(member)
        if before is not None and after is not None:
            yield from _definitions(name, member, before, after)
        elif before is not None:
            yield Difference(
                Kind.MEMBER_REMOVED, Level.BREAKING, name, member, old=describe(before)
            )
        elif after is not None:
            abstract = isinstance(after, Function) and "abc.abstractmethod" in after.decorators
            yield Difference(
                Kind.MEMBER_ADDED,
                Level.BREAKING if abstract else Level.ADDITIVE,
                name,
                member,
                new=describe(after),
                note="subclasses must define it" if abstract else "",
            )


def _constants(name: str, where: str, old: Constant, new: Constant) -> Iterator[Difference]:
    if old.value != new.value:
        yield Difference(Kind.VALUE_CHANGED, Level.BREAKING, name, where, old.value, new.value)
    if old.annotation != new.annotation:
        yield Difference(
            Kind.ANNOTATION_CHANGED, Level.COSMETIC, name, where, old.annotation, new.annotation
        )


def _listed(decorators: tuple[str, ...]) -> str | None:
    return " ".join(f"@{decorator}" for decorator in decorators) or None


def describe(definition: Definition) -> str:
    """Return a definition in a few words."""
    if isinstance(definition, Function):
        return f"function of {len(definition.params)} parameters"
    if isinstance(definition, Class):
        return f"class with {len(definition.members)} watched members"
    if isinstance(definition, Constant):
        return definition.value or definition.annotation or "constant"
    return "module"
