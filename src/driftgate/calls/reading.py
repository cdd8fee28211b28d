"""From a consumer's sources to what they ask of the upstream."""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import TYPE_CHECKING, TypeGuard

from driftgate.calls.model import Call, Site
from driftgate.calls.state import Frame, State
from driftgate.calls.statements import Interpreter
from driftgate.calls.values import distilled
from driftgate.errors import InvalidDataError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from driftgate.calls.model import Source, Usage
    from driftgate.calls.state import FunctionInfo

MOST_PASSES = 3
"""Each pass knows what the one before learnt of globals and attributes; two are the rule."""


def read_usage(
    sources: Iterable[Source], upstream: str, distinctive: dict[str, str] | None = None
) -> Usage:
    """Return what ``sources`` ask of the upstream module ``upstream``.

    Args:
        sources: The consumer's files that may do so; they may import each other.
        upstream: Dotted name, such as ``flashinfer.comm``.
        distinctive: Names that mean an upstream symbol whatever they are called on, and the
            symbol's path; those that the consumer defines itself do not.

    Raises:
        InvalidDataError: A file is not Python.
    """
    by_module = {source.module: source for source in sources}
    trees = {module: _parse(source) for module, source in by_module.items()}
    names = distinctive or {}
    own = {node.name for tree in trees.values() for node in ast.walk(tree) if _is_function(node)}
    foreign = {name: symbol for name, symbol in names.items() if name not in own}
    state = State(by_module, upstream, foreign)
    _follow_all(Interpreter(state), trees)
    for _ in range(MOST_PASSES - 1):
        learnt = state.memory
        state = State(
            by_module,
            upstream,
            state.distinctive,
            learnt,
            functions=state.functions,
            classes=state.classes,
        )
        _follow_all(Interpreter(state), trees)
        if state.memory == learnt:
            break
    usage = state.ledger.usage()
    named = _named_only(usage, trees, by_module, names)
    return replace(usage, calls=tuple(sorted((*usage.calls, *named), key=_place)))


def _named_only(
    usage: Usage, trees: dict[str, ast.Module], sources: dict[str, Source], names: dict[str, str]
) -> Iterator[Call]:
    """Yield unresolved calls of what is only ever named, in a string.

    A consumer that looks functions up by name, and calls what it found, cannot be followed.
    """
    seen = {call.symbol for call in usage.calls} | {mention.symbol for mention in usage.reads}
    for module, tree in trees.items():
        for node in ast.walk(tree):
            name = node.value if isinstance(node, ast.Constant) else None
            symbol = names.get(name) if isinstance(name, str) else None
            if symbol is not None and symbol not in seen and isinstance(node, ast.Constant):
                seen.add(symbol)
                site = Site(sources[module].path, node.lineno, node.col_offset)
                doubt = f"called by what the name {name!r} is looked up with"
                yield Call(symbol, site, unresolved=(doubt,), by_name=True)


def _is_function(node: ast.AST) -> TypeGuard[ast.FunctionDef | ast.AsyncFunctionDef]:
    return isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)


def _place(call: Call) -> tuple[Site, str]:
    return call.site, call.symbol


def _parse(source: Source) -> ast.Module:
    try:
        return ast.parse(source.text)
    except (SyntaxError, ValueError) as error:
        problem = f"not Python ({error})"
        raise InvalidDataError(source.path, problem, "name a Python source file") from error


def _follow_all(interpreter: Interpreter, trees: dict[str, ast.Module]) -> None:
    """Follow every module, then every function that others may call, then those left over."""
    state = interpreter.state
    for module, tree in trees.items():
        frame = Frame(source=state.sources[module])
        state.memory.globals[module] = frame.names
        interpreter.block(tree.body, frame)
        kept = {name: distilled(value) for name, value in frame.names.items()}
        state.memory.globals[module] = kept
    called = {_called_name(node) for tree in trees.values() for node in ast.walk(tree)}
    _enter(interpreter, lambda info: info.public and info.key not in state.entered)
    _enter(interpreter, lambda i: i.key not in state.followed and _own_name(i) not in called)
    _enter(interpreter, lambda info: info.key not in state.followed)


def _enter(interpreter: Interpreter, wanted: Callable[[FunctionInfo], bool]) -> None:
    """Follow all functions that are ``wanted``, those found on the way included."""
    while todo := [info for info in interpreter.state.functions.values() if wanted(info)]:
        for info in todo:
            interpreter.enter(info)


def _own_name(info: FunctionInfo) -> str:
    return info.key.rpartition(":")[2].rpartition(".")[2]


def _called_name(node: ast.AST) -> str:
    if not isinstance(node, ast.Call):
        return ""
    func = node.func
    if isinstance(func, ast.Attribute):
        return func.attr
    return func.id if isinstance(func, ast.Name) else ""
