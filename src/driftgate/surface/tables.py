"""Surfaces and their differences as text for people."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.table import Table
from rich.text import Text

from driftgate.surface.diff_params import spell
from driftgate.surface.difference import Difference, Level
from driftgate.surface.model import Class, Constant, Definition, Function, Guard, Module, ParamKind

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from driftgate.surface.model import Surface

LEVEL_STYLES = {
    Level.BREAKING: "bold red",
    Level.SAFE_BY_KEYWORD: "yellow",
    Level.ADDITIVE: "green",
    Level.COSMETIC: "dim",
}


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


def difference_table(differences: Iterable[Difference]) -> Table:
    """Return a table of differences, in the order given."""
    table = Table()
    table.add_column("level", no_wrap=True)
    table.add_column("kind", no_wrap=True)
    for heading in ("symbol", "old", "new", "note"):
        table.add_column(heading, overflow="fold")
    for item in differences:
        where = f"{item.symbol}{'' if item.where.startswith('(') or not item.where else '.'}"
        table.add_row(
            Text(item.level.value, style=LEVEL_STYLES[item.level]),
            item.kind.value,
            Text(where + item.where),
            Text(item.old or ""),
            Text(item.new or ""),
            Text(item.note),
        )
    return table


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
