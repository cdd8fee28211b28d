"""Surfaces as text for people."""

from __future__ import annotations

from typing import TYPE_CHECKING

from driftgate.surface.diff_params import spell
from driftgate.surface.model import Class, Constant, Definition, Function, Guard, Module, ParamKind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from driftgate.surface.model import Surface


def surface_lines(surface: Surface) -> Iterator[str]:
    """Yield a surface as source-like lines, each symbol under the name that consumers use."""
    for symbol in surface.symbols.values():
        if symbol.definition is None or isinstance(symbol.definition, Module):
            yield f"{symbol.id}: {'module' if symbol.definition else 'absent'}"
            continue
        moved = "" if symbol.defined_in == symbol.id else f" (defined in {symbol.defined_in})"
        guard = "" if symbol.guard is Guard.NONE else f" (guard: {symbol.guard.value})"
        yield f"{symbol.id}{moved}{guard}"
        yield from (
            f"    {line}" for line in _lines(symbol.id.partition(":")[2], symbol.definition)
        )


def _lines(name: str, definition: Definition) -> Iterator[str]:
    if isinstance(definition, Function):
        yield from (f"@{decorator}" for decorator in definition.decorators)
        returns = f" -> {definition.returns}" if definition.returns else ""
        yield f"{name}({', '.join(_spelled(definition))}){returns}"
    elif isinstance(definition, Class):
        yield from (f"@{decorator}" for decorator in definition.decorators)
        yield f"class {name}({', '.join(definition.bases)})"
        for member, value in definition.members.items():
            yield from (f"  {line}" for line in _lines(member, value))
    elif isinstance(definition, Constant):
        yield f"{name} = {definition.value}"


def _spelled(function: Function) -> Iterator[str]:
    keyword_only = False
    for param in function.params:
        if param.kind is ParamKind.KEYWORD_ONLY and not keyword_only:
            yield "*"
            keyword_only = True
        keyword_only = keyword_only or param.kind is ParamKind.VAR_POSITIONAL
        yield spell(param)
