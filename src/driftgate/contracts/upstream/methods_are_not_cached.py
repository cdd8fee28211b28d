from __future__ import annotations

from typing import TYPE_CHECKING

from driftgate.contracts.base import Breach, Severity
from driftgate.contracts.upstream.base import ReleaseContract
from driftgate.surface.model import Class, Function

if TYPE_CHECKING:
    from collections.abc import Iterator

    from driftgate.contracts.upstream.base import Evidence

CONTRACT = ReleaseContract(
    title="No method is cached by the object that it belongs to",
    why="The cache keeps each object alive, and raises for an argument that cannot be hashed",
    severity=Severity.LEAK,
    incidents=("I10",),
)
_CACHES = ("functools.cache", "functools.lru_cache")


def check(seen: Evidence) -> Iterator[Breach]:
    """Look at the decorators of every watched method that takes its object."""
    for symbol in seen.surface.symbols.values():
        if not isinstance(symbol.definition, Class):
            continue
        for name, member in symbol.definition.members.items():
            decorators = member.decorators if isinstance(member, Function) else ()
            for decorator in decorators:
                if decorator.startswith(_CACHES) and "staticmethod" not in decorators:
                    method = f"{symbol.id.partition(':')[2]}.{name}"
                    yield Breach("computed anew, or kept in the object", f"@{decorator}", method)
