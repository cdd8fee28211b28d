"""Watched code that was written anew, where nothing else that changed says so."""

from __future__ import annotations

from typing import TYPE_CHECKING

from driftgate.surface.difference import Difference, Kind, Level

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from driftgate.insides.model import Insides
    from driftgate.insides.target import InsidesTarget

_CONSTRUCTOR = "__init__"


def edited_bodies(
    old: Insides, new: Insides, target: InsidesTarget, told: Iterable[Difference]
) -> Iterator[Difference]:
    """Yield a difference for each body that changed beside all that is ``told`` already.

    A constructor's is told of the entries that call it, for it is them that consumers call. An
    entry that branches is left out: what it does is read branch by branch.
    """
    branching = {row.id for row in target.entries if row.select}
    explained = {(item.symbol, item.where) for item in told if item.level is not Level.COSMETIC}
    for name, mark in new.bodies.items():
        if old.bodies.get(name, mark) == mark:
            continue
        symbol, member = _parts(name)
        # What is low-level is told of the entries that reach it.
        if symbol in branching or target.reached(symbol.partition(":")[2]) is not None:
            continue
        makers = dict(_makers(new, symbol)) if member == _CONSTRUCTOR else {}
        for place, where in (makers or {symbol: member}).items():
            if not _is_explained(explained, place, "" if makers else member):
                note = f"in {symbol.partition(':')[2]}.{member}" if makers else ""
                yield Difference(
                    Kind.BODY_EDITED, Level.DANGEROUS, place, where, None, "other code", note
                )


def _parts(name: str) -> tuple[str, str]:
    """Return the symbol and the member that ``module:Class.name`` spells."""
    module, _, rest = name.partition(":")
    own, _, member = rest.partition(".")
    return f"{module}:{own}", member


def _makers(insides: Insides, symbol: str) -> Iterator[tuple[str, str]]:
    """Yield the entries that call the class ``symbol``, with the branches that do."""
    called = f"{symbol.partition(':')[2]}("
    for name, entry in insides.entries.items():
        branches = [
            branch
            for branch, case in entry.cases.items()
            if any(place.startswith(called) for place in case.hands)
        ]
        if branches:
            yield name, f"[{', '.join(branches)}]"


def _is_explained(explained: set[tuple[str, str]], symbol: str, member: str) -> bool:
    return any(place == symbol and where.startswith(member) for place, where in explained)
