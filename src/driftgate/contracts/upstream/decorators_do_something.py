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
    from driftgate.surface.resolve import Found

CONTRACT = ReleaseContract(
    title="What is decorated as an operator of torch is one",
    why="A tracer walks into what the decorator should have hidden, and stops at the first call "
    "that it cannot trace",
    severity=Severity.CRASH,
    incidents=("I91",),
    needs_wheel=True,
)


def check(seen: Evidence) -> Iterator[Breach]:
    """Look for decorators with arguments that give every function back as it came."""
    resolver = Resolver(seen.sources)
    told = set()
    for module in imported_modules(seen):
        for function in functions_of(module):
            for decorator in function.decorator_list:
                if not isinstance(decorator, ast.Call) or not isinstance(decorator.func, ast.Name):
                    continue
                found = resolver.resolve(module.name, decorator.func.id)
                if found is None or found.id in told or not _is_idle(found.node):
                    continue
                told.add(found.id)
                got = f"@{found.name} gives {function.name} back as it came"
                yield Breach("an operator, opaque to tracing", got, found.id, _site(found))


def _site(found: Found) -> str:
    return f"{found.module.path}:{found.node.lineno}"


def _is_idle(node: ast.stmt) -> bool:
    """Whether ``node`` is a decorator factory whose every result is the identity."""
    if not isinstance(node, ast.FunctionDef):
        return False
    results = [item.value for item in ast.walk(node) if isinstance(item, ast.Return)]
    return bool(results) and all(
        isinstance(value, ast.Lambda)
        and isinstance(value.body, ast.Name)
        and [arg.arg for arg in value.args.args] == [value.body.id]
        for value in results
    )
