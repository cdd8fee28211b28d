from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from driftgate.contracts.base import Breach, Severity
from driftgate.contracts.upstream._modules import functions_of, imported_modules
from driftgate.contracts.upstream.base import ReleaseContract

if TYPE_CHECKING:
    from collections.abc import Iterator

    from driftgate.contracts.upstream.base import Evidence

CONTRACT = ReleaseContract(
    title="A collective over a group is given its root as the rank in WORLD that torch asks for",
    why="In a group that does not start at rank 0 the root is no member of it: creation fails on "
    "some ranks, and the others wait",
    severity=Severity.HANG,
    incidents=("I14",),
    needs_wheel=True,
)
# torch's collectives with one root: the keyword that names it, and its place.
_ROOTS = {
    "broadcast": ("src", 1),
    "broadcast_object_list": ("src", 1),
    "gather": ("dst", 2),
    "gather_object": ("dst", 2),
    "reduce": ("dst", 1),
    "scatter": ("src", 2),
    "scatter_object_list": ("src", 2),
}


def check(seen: Evidence) -> Iterator[Breach]:
    """Look for roots that are a number, or the caller's parameter as it came."""
    for module in imported_modules(seen):
        for function in functions_of(module):
            args = function.args
            params = {arg.arg for arg in (*args.posonlyargs, *args.args, *args.kwonlyargs)}
            for call in ast.walk(function):
                if isinstance(call, ast.Call) and _is_untranslated(_root(call), params):
                    site = f"{module.path}:{call.lineno}"
                    symbol = f"{module.name}:{function.name}"
                    yield Breach("a rank in WORLD as root", ast.unparse(call), symbol, site)


def _root(node: ast.Call) -> ast.expr | None:
    """Return the root of a collective over a group; None for all else."""
    name = node.func.attr if isinstance(node.func, ast.Attribute) else ""
    given = {item.arg: item.value for item in node.keywords}
    if name not in _ROOTS or "group" not in given:
        return None
    keyword, place = _ROOTS[name]
    return given.get(keyword) or (node.args[place] if len(node.args) > place else None)


def _is_untranslated(root: ast.expr | None, params: set[str]) -> bool:
    return isinstance(root, ast.Constant) or (isinstance(root, ast.Name) and root.id in params)
