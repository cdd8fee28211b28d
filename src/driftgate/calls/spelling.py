"""Source text of syntax nodes."""

from __future__ import annotations

import ast
import functools


@functools.lru_cache(maxsize=20_000)
def spell(node: ast.AST) -> str:
    """Return ``node`` as source text; each function is followed many times, its nodes once."""
    return ast.unparse(node)
