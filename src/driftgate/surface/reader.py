"""Read a surface from source text: resolve each watched symbol, then describe its definition."""

from __future__ import annotations

from typing import TYPE_CHECKING

from driftgate.surface.describe import Describer
from driftgate.surface.model import Module, Surface, Symbol
from driftgate.surface.resolve import Resolver

if TYPE_CHECKING:
    from driftgate.surface.sources import SourceTree
    from driftgate.surface.target import Target, Watched


def read_surface(tree: SourceTree, target: Target, release: str) -> Surface:
    """Return what ``tree`` has of the watched symbols; what it lacks is recorded as absent."""
    resolver = Resolver(tree)
    return Surface(release, {row.id: _symbol(resolver, row) for row in target.watched})


def _symbol(resolver: Resolver, row: Watched) -> Symbol:
    if not row.name:
        module = resolver.tree.module(row.id)
        return Symbol(row.id, Module(), row.id) if module else Symbol(row.id)
    found = resolver.resolve(row.module, row.name)
    if found is None:
        return Symbol(row.id)
    describer = Describer(found.module, resolver.origin)
    definition = describer.definition(found.node, found.name, row.members)
    return Symbol(
        id=row.id,
        definition=definition,
        defined_in=found.id,
        guard=found.guard,
        lazy_annotations=found.module.lazy_annotations,
        names=dict(sorted(describer.names.items())),
    )
