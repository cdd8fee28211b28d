"""The modules of a release that its root imports, and what they define."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from driftgate.insides.importing import ImportReader
from driftgate.surface.resolve import Resolver

if TYPE_CHECKING:
    from collections.abc import Iterator

    from driftgate.contracts.upstream.base import Evidence
    from driftgate.surface.sources import ParsedModule


def imported_modules(seen: Evidence) -> Iterator[ParsedModule]:
    """Yield every module that importing what consumers import first runs, by name."""
    root = seen.insides_target.root
    tree = seen.sources.within(root)
    for name in sorted(ImportReader(Resolver(tree), root).modules):
        module = tree.module(name)
        if module is not None:
            yield module


def functions_of(module: ParsedModule) -> Iterator[ast.FunctionDef]:
    """Yield every function of ``module``, methods and inner ones included."""
    return (node for node in ast.walk(module.tree) if isinstance(node, ast.FunctionDef))
