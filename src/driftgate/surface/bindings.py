"""What the top level of a module binds at run time, and under which guard."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from driftgate.surface.model import Guard

if TYPE_CHECKING:
    from collections.abc import Iterator


@dataclass(frozen=True)
class Binding:
    """One way in which a name gets bound.

    Attributes:
        node: The ``def``, ``class``, assignment or import statement.
        guard: What it depends on.
        imported: The name imported, for ``from … import``; None for everything else.
    """

    node: ast.stmt
    guard: Guard
    imported: str | None = None


@dataclass
class Bindings:
    """All bindings of a module's top level.

    Attributes:
        by_name: In source order.
        stars: ``from … import *`` statements with their guards.
    """

    by_name: dict[str, list[Binding]] = field(default_factory=dict)
    stars: list[tuple[ast.ImportFrom, Guard]] = field(default_factory=list)

    def get(self, name: str) -> Binding | None:
        """Return the binding that counts: the last without a guard, else the first with one.

        A guarded binding is tried before its substitute (``try`` before ``except``), so the
        first one is what a complete installation has.
        """
        found = self.by_name.get(name, [])
        plain = [binding for binding in found if binding.guard is Guard.NONE]
        if plain:
            return plain[-1]
        return found[0] if found else None

    def value(self, name: str) -> ast.expr | None:
        """Return the expression assigned to ``name``, if it is assigned one."""
        binding = self.get(name)
        node = binding.node if binding else None
        return node.value if isinstance(node, (ast.Assign, ast.AnnAssign)) else None


def collect_bindings(tree: ast.Module) -> Bindings:
    """Walk the top level of ``tree``, but for bodies under ``TYPE_CHECKING``: they do not run."""
    bindings = Bindings()
    for node, guard in statements(tree.body):
        if isinstance(node, ast.ImportFrom) and any(alias.name == "*" for alias in node.names):
            bindings.stars.append((node, guard))
            continue
        for name, imported in _bound_names(node):
            bindings.by_name.setdefault(name, []).append(Binding(node, guard, imported))
        if isinstance(node, ast.FunctionDef) and node.name == "__getattr__":
            for inner in ast.walk(node):
                if isinstance(inner, ast.ImportFrom):
                    for name, imported in _bound_names(inner):
                        bindings.by_name.setdefault(name, []).append(
                            Binding(inner, Guard.LAZY, imported)
                        )
    return bindings


def statements(body: list[ast.stmt], guard: Guard = Guard.NONE) -> Iterator[tuple[ast.stmt, Guard]]:
    """Yield the plain statements of ``body`` that run, each with the guard it stands under."""
    for node in body:
        if isinstance(node, ast.If):
            if not _is_type_checking(node.test):
                yield from statements(node.body, Guard.IF)
            yield from statements(node.orelse, guard if _is_type_checking(node.test) else Guard.IF)
        elif isinstance(node, ast.Try):
            yield from statements(node.body, Guard.TRY)
            for handler in node.handlers:
                yield from statements(handler.body, Guard.TRY)
            yield from statements(node.orelse, Guard.TRY)
            yield from statements(node.finalbody, guard)
        elif isinstance(node, ast.With):
            # ``contextlib.suppress`` is the only context manager seen around imports.
            yield from statements(node.body, Guard.TRY)
        else:
            yield node, guard


def _is_type_checking(test: ast.expr) -> bool:
    name = test.attr if isinstance(test, ast.Attribute) else getattr(test, "id", "")
    return name == "TYPE_CHECKING"


def _bound_names(node: ast.stmt) -> Iterator[tuple[str, str | None]]:
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        yield node.name, None
    elif isinstance(node, ast.ImportFrom):
        for alias in node.names:
            yield alias.asname or alias.name, alias.name
    elif isinstance(node, ast.Import):
        for alias in node.names:
            yield alias.asname or alias.name.partition(".")[0], None
    elif isinstance(node, ast.Assign):
        for target in node.targets:
            if isinstance(target, ast.Name):
                yield target.id, None
    elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
        yield node.target.id, None
