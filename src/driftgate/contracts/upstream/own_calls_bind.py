from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from driftgate.contracts.base import Breach, Severity
from driftgate.contracts.upstream._modules import functions_of, imported_modules
from driftgate.contracts.upstream.base import ReleaseContract
from driftgate.surface.resolve import Resolver

if TYPE_CHECKING:
    from collections.abc import Iterator

    from driftgate.contracts.upstream.base import Evidence
    from driftgate.surface.sources import ParsedModule

CONTRACT = ReleaseContract(
    title="A release calls its own functions with the arguments that they take",
    why=(
        "Two changes that merge without a conflict leave a call in the words of before: a branch "
        "that few take is a TypeError"
    ),
    severity=Severity.CRASH,
    needs_wheel=True,
)


def check(seen: Evidence) -> Iterator[Breach]:
    """Bind every call of a function by its name against that function's definition."""
    resolver = Resolver(seen.sources.within(seen.insides_target.root))
    for module in imported_modules(seen):
        for function in functions_of(module):
            hidden = _bound_in(function)
            for call in ast.walk(function):
                if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name):
                    continue
                if call.func.id in hidden:
                    continue
                found = resolver.resolve(module.name, call.func.id)
                if found is not None and isinstance(found.node, ast.FunctionDef):
                    yield from _unbound(call, found.node, module, function.name)


def _bound_in(function: ast.FunctionDef) -> set[str]:
    """Return names that mean something else within ``function`` than in its module."""
    args = function.args
    names = {each.arg for each in (*args.posonlyargs, *args.args, *args.kwonlyargs)}
    for node in ast.walk(function):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.add(node.id)
        elif node is not function and isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            names.add(node.name)
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            names |= {each.asname or each.name for each in node.names}
    return names


def _unbound(
    call: ast.Call, callee: ast.FunctionDef, module: ParsedModule, caller: str
) -> Iterator[Breach]:
    """Yield what does not bind; a call that unpacks something can bind."""
    args = callee.args
    unpacks = any(isinstance(each, ast.Starred) for each in call.args)
    if unpacks or any(each.arg is None for each in call.keywords):
        return
    places = [each.arg for each in (*args.posonlyargs, *args.args)]
    by_name = {each.arg for each in (*args.args, *args.kwonlyargs)}
    sent = {each.arg for each in call.keywords if each.arg}
    given = {*places[: len(call.args)], *sent}
    needed = places[: len(places) - len(args.defaults)]
    needed += [
        each.arg
        for each, default in zip(args.kwonlyargs, args.kw_defaults, strict=True)
        if default is None
    ]
    wrong = [f"{name} is missing" for name in needed if name not in given]
    if args.kwarg is None:
        wrong += [f"{name} is not taken" for name in sorted(sent - by_name)]
    if args.vararg is None and len(call.args) > len(places):
        wrong.append(f"{len(call.args)} positional arguments where {len(places)} are taken")
    if wrong:
        site = f"{module.path}:{call.lineno}"
        expected = f"the arguments of {callee.name}"
        yield Breach(expected, "; ".join(wrong), f"{module.name}:{caller}", site)
