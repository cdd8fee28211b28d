"""What conditions say of each other, as far as their text tells it.

A condition is kept as conjuncts, texts that must all hold. Those that compare a thing with named
values are spelled alike, ``x in (E.a, E.b)`` or ``x not in (E.a,)``, whatever the source says.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

Path = tuple[str, ...]
UNKNOWN = "…"
"""A condition that is not told; it may be anything."""
_LONGEST = 2_000
_MEMBERSHIP: dict[type[ast.cmpop], bool] = {
    ast.Eq: True,
    ast.In: True,
    ast.NotEq: False,
    ast.NotIn: False,
}
_PLAIN = (
    ast.Attribute,
    ast.BoolOp,
    ast.Compare,
    ast.Constant,
    ast.Dict,
    ast.List,
    ast.Name,
    ast.Set,
    ast.Starred,
    ast.Tuple,
    ast.UnaryOp,
    ast.boolop,
    ast.cmpop,
    ast.expr_context,
    ast.unaryop,
)


def is_plain(node: ast.expr) -> bool:
    """Whether ``node`` means the same wherever its names do: it calls and computes nothing."""
    return all(isinstance(child, _PLAIN) for child in ast.walk(node))


def expanded(node: ast.expr, definitions: Mapping[str, str]) -> str:
    """Return ``node`` as text, with ``definitions`` in the place of names."""
    text = ast.unparse(node)
    longer = ast.unparse(_Expand(definitions).visit(ast.parse(text, mode="eval").body))
    return longer if len(longer) <= _LONGEST else text


def conjuncts(test: str, *, holds: bool = True) -> Path:
    """Return what must all hold where ``test`` does, or where it does not."""
    return tuple(dict.fromkeys(_flat(_parsed(test), holds=holds)))


def needs_new(path: Path, names: frozenset[str]) -> bool:
    """Whether ``path`` cannot hold for who uses none of ``names``: `member` or `Class.member`."""
    return any(_truth(_parsed(text), names) is False for text in path)


def implies(path: Path, wanted: Path) -> bool:
    """Whether all of ``wanted`` surely holds where all of ``path`` does."""
    told = [said for text in path if (said := _said(_parsed(text))) is not None]
    return all(
        text != UNKNOWN and (text in path or _follows(_said(_parsed(text)), told))
        for text in wanted
    )


def weakest(paths: Sequence[Path]) -> tuple[Path, ...]:
    """Return those of ``paths`` that no other one is part of; none where one always holds."""
    if () in paths:
        return ()
    sets = {frozenset(path): path for path in paths}
    return tuple(path for one, path in sets.items() if not any(other < one for other in sets))


class _Said(NamedTuple):
    """That ``subject`` is, or is not, one of ``values``."""

    subject: str
    inside: bool
    values: tuple[str, ...]

    @property
    def text(self) -> str:
        comma = "," if len(self.values) == 1 else ""
        return (
            f"{self.subject} {'in' if self.inside else 'not in'} ({', '.join(self.values)}{comma})"
        )


class _Expand(ast.NodeTransformer):
    def __init__(self, definitions: Mapping[str, str]) -> None:
        self._definitions = definitions

    def visit_Name(self, node: ast.Name) -> ast.expr:
        text = self._definitions.get(node.id)
        return node if text is None else _parsed(text)


def _parsed(text: str) -> ast.expr:
    return ast.parse("..." if text == UNKNOWN else text, mode="eval").body


def _flat(node: ast.expr, *, holds: bool) -> Iterator[str]:
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield from _flat(node.operand, holds=not holds)
    elif isinstance(node, ast.BoolOp) and isinstance(node.op, ast.And) == holds:
        for value in node.values:
            yield from _flat(value, holds=holds)
    elif (said := _said(node)) is not None:
        yield said._replace(inside=said.inside == holds).text
    else:
        yield ast.unparse(node if holds else ast.UnaryOp(ast.Not(), node))


def _said(node: ast.expr) -> _Said | None:
    if not isinstance(node, ast.Compare) or len(node.ops) > 1:
        return None
    inside, right = _MEMBERSHIP.get(type(node.ops[0])), node.comparators[0]
    if inside is None:
        return None
    listed = isinstance(node.ops[0], (ast.In, ast.NotIn))
    values = tuple(_items(right)) if listed else (ast.unparse(right),)
    return _Said(ast.unparse(node.left), inside, values) if values else None


def _items(node: ast.expr | None) -> Iterator[str]:
    """Yield what a display holds, tables by their keys; nothing for any other container."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        if node.func.attr == "keys":
            yield from _items(node.func.value)
    elif isinstance(node, ast.Dict):
        yield from (ast.unparse(key) for key in node.keys if key is not None)
    elif isinstance(node, (ast.Tuple, ast.List, ast.Set)):
        for item in node.elts:
            inner = tuple(_items(item.value)) if isinstance(item, ast.Starred) else ()
            yield from inner or (ast.unparse(item),)


def _truth(node: ast.expr, names: frozenset[str]) -> bool | None:
    """Return what ``node`` is for who uses none of ``names``; None where that cannot be told."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        inner = _truth(node.operand, names)
        return None if inner is None else not inner
    if isinstance(node, ast.BoolOp):
        decides = isinstance(node.op, ast.Or)
        truths = [_truth(value, names) for value in node.values]
        if decides in truths:
            return decides
        return None if None in truths else not decides
    said = _said(node)
    if said is None:
        return None
    fresh = all(_is_new(value, names) for value in said.values) or _is_new(said.subject, names)
    return not said.inside if fresh else None


def _is_new(text: str, names: frozenset[str]) -> bool:
    owner, _, name = text.rpartition(".")
    return bool(owner) and bool(names.intersection((name, f"{owner.rpartition('.')[2]}.{name}")))


def _follows(wanted: _Said | None, told: list[_Said]) -> bool:
    """Whether one of ``told`` says at least what is ``wanted``."""
    if wanted is None:
        return False
    same = [said for said in told if said.subject == wanted.subject]
    if wanted.inside:
        return any(said.inside and set(said.values) <= set(wanted.values) for said in same)
    excluded = {value for said in same if not said.inside for value in said.values}
    return set(wanted.values) <= excluded or any(
        said.inside and all(_differ(a, b) for a in said.values for b in wanted.values)
        for said in same
    )


def _differ(one: str, other: str) -> bool:
    """Whether two values surely are not the same: two literals, or two members of one class."""
    if "*" in one + other:
        return False  # some values, of a container that is not spelled out
    nodes = [_parsed(one), _parsed(other)]
    if all(isinstance(node, ast.Constant) for node in nodes):
        return bool(ast.literal_eval(nodes[0]) != ast.literal_eval(nodes[1]))
    owners = [text.rpartition(".")[0] for text in (one, other)]
    named = owners[0] == owners[1] and owners[0].rpartition(".")[2][:1].isupper()
    return named and one != other
