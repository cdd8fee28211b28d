"""Read the insides of a release from its source text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from driftgate.insides.bodies import watched_bodies
from driftgate.insides.entries import EntryReader
from driftgate.insides.importing import ImportReader
from driftgate.insides.model import Insides
from driftgate.surface.resolve import Resolver

if TYPE_CHECKING:
    from driftgate.insides.target import InsidesTarget
    from driftgate.surface.sources import SourceTree
    from driftgate.surface.target import Target


def read_insides(tree: SourceTree, target: InsidesTarget, watched: Target, release: str) -> Insides:
    """Return what ``tree`` does inside: at import, and in each entry on each branch.

    Args:
        tree: The release's modules.
        target: What is looked for.
        watched: The watched symbols; where these refuse, an entry that reaches them does.
        release: The version that is read.
    """
    resolver = Resolver(tree.within(target.root))
    importing = ImportReader(resolver, target.root)
    names = frozenset(row.name for row in watched.watched if row.name)
    reader = EntryReader(resolver, target, names)
    entries = {row.id: reader.entry(row) for row in target.entries}
    return Insides(
        release,
        importing.imports(),
        importing.calls(),
        importing.deferred(target.low_level),
        importing.generics(),
        {name: entry for name, entry in entries.items() if entry is not None},
        watched_bodies(resolver, watched),
    )
