"""Evaluate constant expressions without running any code."""

from __future__ import annotations

import ast
import operator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_BINARY: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.LShift: operator.lshift,
    ast.RShift: operator.rshift,
    ast.BitAnd: operator.and_,
    ast.BitOr: operator.or_,
    ast.BitXor: operator.xor,
}
_UNARY: dict[type[ast.unaryop], Callable[[Any], Any]] = {
    ast.UAdd: operator.pos,
    ast.USub: operator.neg,
    ast.Invert: operator.invert,
    ast.Not: operator.not_,
}
# A shift or a product beyond this is no constant that an API means.
_MAX_BITS = 4096


class NotConstantError(Exception):
    """The expression needs more than arithmetic on literals."""


def fold(node: ast.expr, names: Mapping[str, ast.expr] | None = None) -> Any:  # noqa: ANN401
    """Return the value of ``node``: numbers, strings, None, and containers of them.

    Args:
        node: The expression.
        names: Expressions that names in ``node`` stand for.

    Raises:
        NotConstantError: It is not a constant expression.
    """
    try:
        return _fold(node, dict(names or {}))
    except (ArithmeticError, TypeError, ValueError, RecursionError) as error:
        raise NotConstantError(str(error)) from error


def _fold(node: ast.expr, names: dict[str, ast.expr]) -> Any:  # noqa: ANN401, PLR0911
    if isinstance(node, ast.Constant):
        return node.value
    if isinstance(node, ast.Name) and node.id in names:
        # Without the name itself, so that ``X = X + 1`` ends.
        return _fold(names[node.id], {k: v for k, v in names.items() if k != node.id})
    if isinstance(node, ast.BinOp) and type(node.op) in _BINARY:
        left, right = _fold(node.left, names), _fold(node.right, names)
        if isinstance(node.op, ast.LShift) and right > _MAX_BITS:
            raise NotConstantError("shift too large")
        return _BINARY[type(node.op)](left, right)
    if isinstance(node, ast.UnaryOp):
        return _UNARY[type(node.op)](_fold(node.operand, names))
    if isinstance(node, ast.Tuple):
        return tuple(_fold(item, names) for item in node.elts)
    if isinstance(node, ast.List):
        return [_fold(item, names) for item in node.elts]
    if isinstance(node, ast.Dict) and all(key is not None for key in node.keys):
        return {
            _fold(key, names): _fold(value, names)
            for key, value in zip(node.keys, node.values, strict=True)
            if key is not None
        }
    raise NotConstantError(type(node).__name__)
