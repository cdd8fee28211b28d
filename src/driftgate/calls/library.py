"""The library functions that consumers use to ask the upstream, or to build a call."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from driftgate.calls.asking import existence, truth
from driftgate.calls.conditions import Exists, all_of, asks, negate
from driftgate.calls.ledger import IMPORT, PATCH, READ
from driftgate.calls.model import Mention
from driftgate.calls.spelling import spell
from driftgate.calls.values import (
    Alternative,
    Constant,
    Flag,
    Items,
    Keywords,
    Parameters,
    Partial,
    Upstream,
    Value,
    either,
    flatten,
    just,
    under,
    unknown,
)

if TYPE_CHECKING:
    import ast
    from collections.abc import Callable

    from driftgate.calls.expressions import Expressions
    from driftgate.calls.state import Frame


NO_KEYWORDS = Keywords()


@dataclass(frozen=True)
class Arguments:
    """What a call is given; ``spread`` names ``*arguments`` that are not known."""

    positional: tuple[Value, ...] = ()
    keywords: Keywords = NO_KEYWORDS
    spread: tuple[str, ...] = ()


def _text(given: Arguments, number: int) -> str | None:
    """Return the literal string given at ``number``, or None."""
    if number >= len(given.positional):
        return None
    atom = given.positional[number][0].atom
    return atom.value if isinstance(atom, Constant) and isinstance(atom.value, str) else None


def _members(given: Arguments) -> list[str]:
    """Return the upstream paths that a call on an object and a member's name means."""
    name = _text(given, 1)
    atoms = [alternative.atom for alternative in given.positional[0]] if given.positional else []
    return [f"{a.path}.{name}" for a in atoms if isinstance(a, Upstream) and name is not None]


def _dict(_engine: Expressions, given: Arguments, node: ast.expr, _frame: Frame) -> Value:
    first = given.positional[0] if given.positional else just(Keywords())
    built = flatten(first, spell(node)).merge(given.keywords)
    return just(built)


def _hasattr(engine: Expressions, given: Arguments, node: ast.expr, frame: Frame) -> Value:
    name = _text(given, 1)
    if name is None:
        return unknown(spell(node))
    for path in _members(given):
        engine.note(READ, Mention(path, frame.site(node), frame.when, probed=True))
    return just(Flag(existence(given.positional[0], name, spell(node))))


def _getattr(engine: Expressions, given: Arguments, node: ast.expr, frame: Frame) -> Value:
    name = _text(given, 1)
    if name is None:
        return unknown(spell(node))
    default = given.positional[2] if len(given.positional) > 2 else None  # noqa: PLR2004
    for path in _members(given):
        mention = Mention(path, frame.site(node), frame.when, probed=default is not None)
        engine.note(READ, mention)
    found: list[Value] = []
    for alternative in given.positional[0]:
        if not isinstance(alternative.atom, Upstream):
            found.append(unknown(spell(node)))
            continue
        path = f"{alternative.atom.path}.{name}"
        there = asks(Exists(path))
        if default is None:
            found.append(under(just(Upstream(path)), alternative.when))
        else:
            found.append(under(under(just(Upstream(path)), there), alternative.when))
            found.append(under(under(default, negate(there)), alternative.when))
    return either(*found)


def _setattr(engine: Expressions, given: Arguments, node: ast.expr, frame: Frame) -> Value:
    for path in _members(given):
        engine.note(PATCH, Mention(path, frame.site(node), frame.when))
    return just(Constant(None))


def _patch(engine: Expressions, given: Arguments, node: ast.expr, frame: Frame) -> Value:
    path = _text(given, 0)
    if path is not None:
        engine.note(PATCH, Mention(path, frame.site(node), frame.when))
    return unknown(spell(node))


def _signature(_engine: Expressions, given: Arguments, node: ast.expr, _frame: Frame) -> Value:
    found: list[Value] = []
    for alternative in given.positional[0] if given.positional else ():
        atom = alternative.atom
        known = just(Parameters(atom.path)) if isinstance(atom, Upstream) else None
        if atom != Constant(None):
            value = known if known is not None else unknown(spell(node))
            found.append(under(value, alternative.when))
    return either(*found) if found else unknown(spell(node))


def _partial(_engine: Expressions, given: Arguments, node: ast.expr, _frame: Frame) -> Value:
    if not given.positional or given.spread:
        return unknown(spell(node))
    return just(Partial(given.positional[0], given.positional[1:], given.keywords))


def _import_module(engine: Expressions, given: Arguments, node: ast.expr, frame: Frame) -> Value:
    path = _text(given, 0)
    if path is None:
        return unknown(spell(node))
    found = engine.state.outside(path)
    engine.note(IMPORT, Mention(path, frame.site(node), frame.when, frame.guarded > 0))
    if frame.guarded and isinstance(found, Upstream):
        there = asks(Exists(path))
        frame.imported = all_of(frame.imported, there)
        frame.assume(there)
    return just(found)


def _find_spec(engine: Expressions, given: Arguments, node: ast.expr, _frame: Frame) -> Value:
    path = _text(given, 0)
    if path is None or not isinstance(engine.state.outside(path), Upstream):
        return unknown(spell(node))
    there = asks(Exists(path))
    return (Alternative(Constant("found"), there), Alternative(Constant(None), negate(there)))


def _truth(_engine: Expressions, given: Arguments, node: ast.expr, _frame: Frame) -> Value:
    first = given.positional[0] if given.positional else just(Constant(None))
    return just(Flag(truth(first, spell(node))))


def _same(_engine: Expressions, given: Arguments, node: ast.expr, _frame: Frame) -> Value:
    return given.positional[0] if given.positional else unknown(spell(node))


def _names(_engine: Expressions, given: Arguments, node: ast.expr, _frame: Frame) -> Value:
    """``set``, ``list`` … of the parameter names, or of the keys, of something."""
    first = given.positional[0] if given.positional else just(Items(()))
    kept = tuple(
        alternative
        for alternative in first
        if isinstance(alternative.atom, Parameters | Keywords | Items)
    )
    return kept if len(kept) == len(first) else unknown(spell(node))


def _cast(_engine: Expressions, given: Arguments, node: ast.expr, _frame: Frame) -> Value:
    return given.positional[1] if len(given.positional) > 1 else unknown(spell(node))


LIBRARY: dict[str, Callable[[Expressions, Arguments, ast.expr, Frame], Value]] = {
    "builtins.dict": _dict,
    "builtins.hasattr": _hasattr,
    "builtins.getattr": _getattr,
    "builtins.setattr": _setattr,
    "builtins.bool": _truth,
    "builtins.callable": _truth,
    "builtins.set": _names,
    "builtins.frozenset": _names,
    "builtins.list": _names,
    "builtins.tuple": _names,
    "builtins.sorted": _names,
    "copy.copy": _same,
    "copy.deepcopy": _same,
    "functools.cache": _same,
    "functools.partial": _partial,
    "importlib.import_module": _import_module,
    "importlib.util.find_spec": _find_spec,
    "inspect.signature": _signature,
    "typing.cast": _cast,
    "unittest.mock.patch": _patch,
    "unittest.mock.patch.object": _setattr,
}
"""By dotted name."""
