"""What the names in a function mean: definitions of the package, or dotted names elsewhere."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from driftgate.insides.frames import FunctionNode

if TYPE_CHECKING:
    from collections.abc import Iterator

    from driftgate.insides.frames import Frame
    from driftgate.surface.resolve import Found, Resolver


class Names:
    """Looks names up, the way Python would, in a frame and then in its module."""

    def __init__(self, resolver: Resolver) -> None:
        self._resolver = resolver

    def definition(self, node: ast.expr, frame: Frame) -> Found | None:
        """Return the function or class of the package that ``node`` names."""
        if isinstance(node, ast.Name):
            if node.id in frame.imports:
                return self._resolver.resolve(*frame.imports[node.id])
            if node.id in frame.env:
                return None
            return self._resolver.resolve(frame.module.name, node.id)
        if isinstance(node, ast.Attribute):
            return self._resolver.resolve(self.dotted(node.value, frame), node.attr)
        return None

    def by_id(self, name: str) -> Found | None:
        """Return the definition behind ``module:name``."""
        module, _, attribute = name.partition(":")
        return self._resolver.resolve(module, attribute)

    def dotted(self, node: ast.expr, frame: Frame) -> str:
        """Return the full dotted name that ``node`` spells; empty for anything else.

        A name that the function binds has none, for it may be anything.
        """
        if isinstance(node, ast.Attribute):
            base = self.dotted(node.value, frame)
            return f"{base}.{node.attr}" if base else ""
        if not isinstance(node, ast.Name) or node.id in frame.env:
            return ""
        if node.id in frame.imports:
            module, name = frame.imports[node.id]
            found = self._resolver.resolve(module, name) if name else None
            return (found.id if found else f"{module}.{name}".rstrip(".")).replace(":", ".")
        return self._resolver.origin(frame.module, node.id).replace(":", ".") or node.id

    def spelled(self, node: ast.expr, frame: Frame) -> str:
        """Return :meth:`dotted`, without the module for what the package itself defines."""
        dotted = self.dotted(node, frame)
        head = node
        while isinstance(head, ast.Attribute):
            head = head.value
        found = self.definition(head, frame) if dotted else None
        return dotted.removeprefix(f"{found.module.name}.") if found else dotted

    def method(self, owner: Found | None, name: str) -> tuple[Found, FunctionNode] | None:
        """Return the method ``name`` of a class, looked for in its bases too."""
        for found in self.lineage(owner):
            for child in getattr(found.node, "body", ()):
                if isinstance(child, FunctionNode) and child.name == name:
                    return found, child
        return None

    def lineage(self, owner: Found | None) -> Iterator[Found]:
        """Yield a class and those of its bases that the package defines, nearest first."""
        seen: set[str] = set()
        pending = [owner]
        while pending:
            found = pending.pop(0)
            if found is None or found.id in seen or not isinstance(found.node, ast.ClassDef):
                continue
            seen.add(found.id)
            yield found
            pending += [
                self._resolver.resolve(found.module.name, base.id)
                for base in found.node.bases
                if isinstance(base, ast.Name)
            ]

    def is_instance(self, instance: str, wanted: str) -> bool | None:
        """Whether an instance of one class is one of another; None if they are strangers."""
        owner = self.by_id(instance)
        if owner is None:
            return None
        return any(found.id == wanted for found in self.lineage(owner))
