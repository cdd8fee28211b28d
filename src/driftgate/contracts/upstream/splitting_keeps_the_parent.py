from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from driftgate.contracts.base import Breach, Severity
from driftgate.contracts.upstream._modules import imported_modules
from driftgate.contracts.upstream.base import ReleaseContract

if TYPE_CHECKING:
    from collections.abc import Iterator

    from driftgate.contracts.upstream.base import Evidence

_METHODS = ("Split", "Dup", "Create")

CONTRACT = ReleaseContract(
    title="Splitting returns another communicator, and leaves the one that is split as it was",
    why=(
        "Whoever asked speaks to the part from then on, and what came back to the whole: ranks "
        "wait for peers that are elsewhere"
    ),
    severity=Severity.HANG,
    needs_wheel=True,
)


def check(seen: Evidence) -> Iterator[Breach]:
    """Look for methods that make communicators, and put something else into their own object."""
    for module in imported_modules(seen):
        for owner in ast.walk(module.tree):
            if not isinstance(owner, ast.ClassDef):
                continue
            for method in owner.body:
                if isinstance(method, ast.FunctionDef) and method.name in _METHODS:
                    yield from _changes(method, f"{owner.name}.{method.name}", module.path)


def _changes(method: ast.FunctionDef, symbol: str, path: str) -> Iterator[Breach]:
    own = method.args.args[0].arg if method.args.args else ""
    for node in ast.walk(method):
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            of = node.value
            if isinstance(of, ast.Name) and of.id == own:
                got = f"it sets {ast.unparse(node)}"
                yield Breach("its own object unchanged", got, symbol, f"{path}:{node.lineno}")
