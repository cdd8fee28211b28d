"""Follow a name to its definition: through imports, re-exports, aliases and star imports."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TYPE_CHECKING

from driftgate.surface.model import Guard

if TYPE_CHECKING:
    from driftgate.surface.sources import ParsedModule, SourceTree


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

    @property
    def id(self) -> str:
        """``module:name`` of the definition."""
        return f"{self.module.name}:{self.name}"


class Resolver:
    """Finds definitions in one source tree; each module is read when it is first needed."""

    def __init__(self, tree: SourceTree) -> None:
        self.tree = tree

    def resolve(
        self, module_name: str, name: str, seen: frozenset[tuple[str, str]] = frozenset()
    ) -> Found | None:
        """Follow re-exports and aliases of ``module_name:name`` to its definition."""
        module = self.tree.module(module_name)
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
            if not _exports(self.tree.module(source), name):
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
            return found.id
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
