"""Fingerprints of code: equal where a function does the same, whatever it says while doing it."""

from __future__ import annotations

import ast
import copy
import hashlib
from typing import TYPE_CHECKING

from driftgate.insides.frames import FunctionNode
from driftgate.surface.describe import is_watched

if TYPE_CHECKING:
    from collections.abc import Mapping

    from driftgate.surface.resolve import Resolver
    from driftgate.surface.target import Target

_LENGTH = 12
# Calls that only say something.
_SAYS = ("print", "logger.", "logging.", "warnings.")


def fingerprint(*nodes: ast.stmt) -> str:
    """Return a mark of functions or classes that only what they do changes."""
    text = "\n".join(ast.unparse(_Bare().visit(copy.deepcopy(node))) for node in nodes)
    return hashlib.sha256(text.encode()).hexdigest()[:_LENGTH]


def watched_bodies(resolver: Resolver, watched: Target) -> dict[str, str]:
    """Return a fingerprint of each watched function, and of each method as ``module:Class.name``.

    Private functions and methods that it calls, and that stand beside it, are part of it; so are
    the constants that it reads there, and the watched functions that a method calls.
    """
    found = {row: resolver.resolve(row.module, row.name) for row in watched.watched if row.name}
    named = {
        each.name: each.node
        for each in found.values()
        if each is not None and isinstance(each.node, FunctionNode)
    }
    bodies: dict[str, str] = {}
    for row, each in found.items():
        if each is None:
            continue
        beside = _private(_functions(each.module.tree.body))
        constants = _constants(each.module.tree.body)
        if isinstance(each.node, FunctionNode):
            parts = _with_helpers(each.node, beside, {})
            bodies[row.id] = fingerprint(*parts, *_read(parts, constants))
        elif isinstance(each.node, ast.ClassDef):
            methods = _functions(each.node.body)
            for name, node in methods.items():
                if is_watched(name, row.members):
                    parts = _with_helpers(node, {**named, **beside}, _private(methods))
                    bodies[f"{row.id}.{name}"] = fingerprint(*parts, *_read(parts, constants))
    return bodies


def _functions(body: list[ast.stmt]) -> dict[str, FunctionNode]:
    return {node.name: node for node in body if isinstance(node, FunctionNode)}


def _private(functions: Mapping[str, FunctionNode]) -> dict[str, FunctionNode]:
    return {name: node for name, node in functions.items() if not is_watched(name, ())}


def _with_helpers(
    node: FunctionNode,
    functions: Mapping[str, FunctionNode],
    methods: Mapping[str, FunctionNode],
) -> list[FunctionNode]:
    """Return ``node`` and those of the functions and methods it reaches, each once, in order."""
    parts = [node]
    for part in parts:
        for call in ast.walk(part):
            helper = _helper(call, functions, methods) if isinstance(call, ast.Call) else None
            if helper is not None and helper not in parts:
                parts.append(helper)
    return [_plain(part) for part in parts]


def _helper(
    call: ast.Call, functions: Mapping[str, FunctionNode], methods: Mapping[str, FunctionNode]
) -> FunctionNode | None:
    if isinstance(call.func, ast.Name):
        return functions.get(call.func.id)
    if isinstance(call.func, ast.Attribute) and ast.unparse(call.func.value) == "self":
        return methods.get(call.func.attr)
    return None


def _constants(body: list[ast.stmt]) -> dict[str, ast.stmt]:
    """Return the statements that bind a name to what needs no call."""
    found: dict[str, ast.stmt] = {}
    for node in body:
        if not isinstance(node, (ast.Assign, ast.AnnAssign)) or node.value is None:
            continue
        if not any(isinstance(part, ast.Call) for part in ast.walk(node.value)):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            found |= {item.id: node for item in targets if isinstance(item, ast.Name)}
    return found


def _read(parts: list[FunctionNode], constants: Mapping[str, ast.stmt]) -> list[ast.stmt]:
    """Return the constants that ``parts`` read, by name."""
    nodes = (node for part in parts for node in ast.walk(part) if isinstance(node, ast.Name))
    return [constants[name] for name in sorted({node.id for node in nodes} & constants.keys())]


def _plain(node: FunctionNode) -> FunctionNode:
    """Return ``node`` without decorators, which are the surface's, and without ``pass``."""
    plain = copy.copy(node)
    plain.decorator_list = []
    plain.body = [item for item in node.body if not isinstance(item, ast.Pass)]
    return plain


class _Bare(ast.NodeTransformer):
    """Takes out docstrings, annotations, local imports, and what is logged, printed or complained.

    Where an import runs is told of importing.
    """

    def visit_Expr(self, node: ast.Expr) -> ast.Expr | None:
        value = node.value
        if isinstance(value, ast.Constant):
            return None
        if isinstance(value, ast.Call) and ast.unparse(value.func).startswith(_SAYS):
            return None
        return node

    def visit_Import(self, node: ast.Import) -> None:
        del node

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        del node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST | None:
        if node.value is None:
            return None
        return ast.Assign([node.target], self.visit(node.value), lineno=node.lineno)

    def visit_Raise(self, node: ast.Raise) -> ast.AST:
        if isinstance(node.exc, ast.Call):
            node.exc = node.exc.func
        return self.generic_visit(node)

    def visit_Assert(self, node: ast.Assert) -> ast.AST:
        node.msg = None
        return self.generic_visit(node)

    def visit_arg(self, node: ast.arg) -> ast.arg:
        return ast.arg(node.arg)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        node.returns = None
        return self.generic_visit(node)
