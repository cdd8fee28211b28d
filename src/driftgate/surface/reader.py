"""Read a surface from source text: resolve each watched symbol, then describe its definition."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TYPE_CHECKING

from driftgate.surface.describe import Describer
from driftgate.surface.model import Guard, Module, Surface, Symbol

if TYPE_CHECKING:
    from driftgate.surface.sources import ParsedModule, SourceTree
    from driftgate.surface.target import Target, Watched


@dataclass(frozen=True)
class Found:
    """Where a name is defined.

    Attributes:
        module: The defining module.
        name: Its name there.
        node: The defining statement.
        guard: The weakest link on the way.
    """

    module: ParsedModule
    name: str
    node: ast.stmt
    guard: Guard


def read_surface(tree: SourceTree, target: Target, release: str) -> Surface:
    """Return what ``tree`` has of the watched symbols; what it lacks is recorded as absent."""
    reader = _Reader(tree)
    return Surface(release, {row.id: reader.symbol(row) for row in target.watched})


class _Reader:
    def __init__(self, tree: SourceTree) -> None:
        self._tree = tree

    def symbol(self, row: Watched) -> Symbol:
        if not row.name:
            module = self._tree.module(row.id)
            return Symbol(row.id, Module(), row.id) if module else Symbol(row.id)
        found = self.resolve(row.module, row.name)
        if found is None:
            return Symbol(row.id)
        describer = Describer(found.module, self.origin)
        definition = describer.definition(found.node, found.name, row.members)
        return Symbol(
            id=row.id,
            definition=definition,
            defined_in=f"{found.module.name}:{found.name}",
            guard=found.guard,
            lazy_annotations=found.module.lazy_annotations,
            names=dict(sorted(describer.names.items())),
        )

    def resolve(
        self, module_name: str, name: str, seen: frozenset[tuple[str, str]] = frozenset()
    ) -> Found | None:
        """Follow re-exports and aliases of ``module_name:name`` to its definition."""
        module = self._tree.module(module_name)
        if module is None or (module_name, name) in seen:
            return None
        seen |= {(module_name, name)}
        binding = module.bindings.get(name)
        if binding is None:
            return self._resolve_star(module, name, seen)
        node = binding.node
        found: Found | None
        if isinstance(node, ast.ImportFrom):
            source = module.absolute(node.module, node.level)
            found = self.resolve(source, binding.imported or name, seen)
        elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Name):
            found = self.resolve(module_name, node.value.id, seen)
        elif isinstance(node, ast.Import):
            return None
        else:
            return Found(module, name, node, binding.guard)
        return _weaken(found, binding.guard)

    def _resolve_star(
        self, module: ParsedModule, name: str, seen: frozenset[tuple[str, str]]
    ) -> Found | None:
        for node, guard in reversed(module.bindings.stars):
            source = module.absolute(node.module, node.level)
            if not _exports(self._tree.module(source), name):
                continue
            found = self.resolve(source, name, seen)
            if found is not None:
                return _weaken(found, guard)
        return None

    def origin(self, module: ParsedModule, name: str) -> str:
        """Return where ``name`` in ``module`` comes from, or an empty string for a builtin.

        ``torch`` for an imported module, ``typing:Optional`` for a name in one, and
        ``flashinfer.comm.mnnvl:CommBackend`` for the definition of one in the package itself.
        """
        found = self.resolve(module.name, name)
        if found is not None:
            return f"{found.module.name}:{found.name}"
        binding = module.bindings.get(name)
        node = binding.node if binding else None
        if isinstance(node, ast.ImportFrom):
            return f"{module.absolute(node.module, node.level)}:{binding and binding.imported}"
        if isinstance(node, ast.Import):
            plain = {alias.asname: alias.name for alias in node.names if alias.asname}
            return plain.get(name, name)
        return ""


def _weaken(found: Found | None, guard: Guard) -> Found | None:
    if found is None or guard is Guard.NONE:
        return found
    return Found(found.module, found.name, found.node, guard)


def _exports(module: ParsedModule | None, name: str) -> bool:
    if module is None:
        return False
    listed = module.bindings.value("__all__")
    if isinstance(listed, (ast.List, ast.Tuple)):
        return any(isinstance(item, ast.Constant) and item.value == name for item in listed.elts)
    return not name.startswith("_")
