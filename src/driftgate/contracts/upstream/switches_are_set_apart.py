from __future__ import annotations

from typing import TYPE_CHECKING

from driftgate.contracts.base import Breach, Severity
from driftgate.contracts.upstream.base import ReleaseContract
from driftgate.surface.model import Function

if TYPE_CHECKING:
    from collections.abc import Iterator

    from driftgate.contracts.upstream.base import Evidence
    from driftgate.surface.model import Param

CONTRACT = ReleaseContract(
    title="No switch of a kernel is wired to the caller's value for another switch",
    why="Who turns one on turns the other on too, and cannot have one alone",
    severity=Severity.WRONG_RESULT,
    incidents=("I87",),
)
_SWITCHES = ("True", "False")


def check(seen: Evidence) -> Iterator[Breach]:
    """Look for a switch of an entry that is handed to one callee under two names."""
    for name, entry in seen.insides.entries.items():
        function = seen.surface.symbols[name].definition if seen.has(name) else None
        if not isinstance(function, Function):
            continue
        switches = {param.name for param in function.params if _is_switch(param)}
        for branch, case in entry.cases.items():
            for place, texts in case.hands.items():
                callee, _, rest = place.partition("(")
                inner = rest.rstrip(")")
                for text in switches.intersection(texts):
                    own = case.hands.get(f"{callee}({text})", ())
                    if text != inner and text in own and inner not in entry.params:
                        where = f"{name.partition(':')[2]} [{branch}]" if branch else name
                        got = f"{callee} gets {inner}={text} and {text}={text}"
                        yield Breach("a parameter of its own, or a constant", got, where)


def _is_switch(param: Param) -> bool:
    return param.annotation == "bool" or param.default in _SWITCHES
