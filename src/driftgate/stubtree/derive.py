"""Render a recorded surface as an importable tree whose bodies delegate to the stub core.

Every watched symbol stands in the module that defines it in the release, with the release's own
signature text, decorators, bases and values, and is re-exported from where consumers look for it.
Functions and static methods answer ``core.call(symbol, SHAPE, locals())``, methods
``core.method(symbol, self, locals())``; ``SHAPE`` is the ``shape.toml`` above the file.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from driftgate.stubtree.render import (
    CORE,
    LINE_LENGTH,
    decorator_imports,
    guarded,
    lazy_getattr,
    render_definition,
)
from driftgate.surface.model import Class, Guard, Module, Symbol

if TYPE_CHECKING:
    from pathlib import Path

    from driftgate.surface.model import Surface

MARKER = "# Derived by `driftgate stub derive` from a recorded surface; do not edit."


@dataclass(frozen=True, order=True)
class Reexport:
    """A name that one module hands on from another."""

    source: str
    name: str
    seen_as: str
    guard: Guard = Guard.NONE

    @property
    def member(self) -> str:
        """What follows ``import``; the redundant ``as`` marks it as handed on."""
        return f"{self.name} as {self.seen_as}"

    @property
    def statement(self) -> str:
        """The import that hands it on."""
        return f"from {self.source} import {self.member}"


@dataclass
class _File:
    """What one module of the tree holds."""

    symbols: list[Symbol] = field(default_factory=list)
    placeholders: set[str] = field(default_factory=set)
    reexports: set[Reexport] = field(default_factory=set)


def derive(surface: Surface) -> dict[str, str]:
    """Return the source text of each file of the stub, by path below the stub's folder."""
    present = [symbol for symbol in surface.symbols.values() if symbol.definition is not None]
    files = _distribute(present)
    packages = {name.rpartition(".")[0] for name in files}
    return {
        _path(name, is_package=name in packages): _render(name, file)
        for name, file in sorted(files.items())
    }


def write_stub(surface: Surface, into: Path) -> list[Path]:
    """Write the derived files below ``into``; files derived earlier that are gone are removed.

    Returns:
        The files written, in order.
    """
    texts = derive(surface)
    for old in sorted(into.rglob("*.py")):
        if old.read_text(encoding="utf-8").startswith(MARKER):
            old.unlink()
    for path, text in texts.items():
        file = into / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    return [into / path for path in texts]


def _distribute(symbols: list[Symbol]) -> dict[str, _File]:
    """Put every symbol in its module, with placeholders for what only signatures name."""
    files: dict[str, _File] = {}
    homes = {symbol.defined_in for symbol in symbols}

    def file(module: str) -> _File:
        parent = module.rpartition(".")[0]
        if parent:
            file(parent)
        return files.setdefault(module, _File())

    package = symbols[0].id.partition(":")[0].partition(".")[0] if symbols else ""
    for symbol in symbols:
        module, _, name = symbol.defined_in.partition(":")
        if isinstance(symbol.definition, Module):
            file(module)
            continue
        home = file(module)
        if symbol.defined_in not in {known.defined_in for known in home.symbols}:
            home.symbols.append(symbol)
        seen_in, _, seen_as = symbol.id.partition(":")
        if seen_in != module:
            file(seen_in).reexports.add(Reexport(module, name, seen_as, symbol.guard))
        for origin in _mentioned(symbol):
            if origin.partition(".")[0] == package and origin not in homes:
                other, _, placeholder = origin.partition(":")
                file(other).placeholders.add(placeholder)
    return files


def _mentioned(symbol: Symbol) -> list[str]:
    bases = symbol.definition.bases if isinstance(symbol.definition, Class) else ()
    return [*symbol.names.values(), *bases]


def _path(module: str, *, is_package: bool) -> str:
    stem = module.replace(".", "/")
    return f"{stem}/__init__.py" if is_package or "." not in module else f"{stem}.py"


def _render(module: str, file: _File) -> str:
    symbols = _in_order(file.symbols)
    blocks = [MARKER]
    if any(symbol.lazy_annotations for symbol in symbols):
        blocks.append("from __future__ import annotations")
    blocks.append(_imports(module, file))
    if "." not in module:
        blocks.append("__version__ = SHAPE.version")
    definitions = [
        f'class {name}:\n    """Stands for a type that only signatures name."""'
        for name in sorted(file.placeholders)
    ]
    definitions += [
        guarded(
            # What is handed on under a guard carries it there.
            symbol.guard if symbol.id == symbol.defined_in else Guard.NONE,
            render_definition(symbol.defined_in.partition(":")[2], symbol.definition),
        )
        for symbol in symbols
        if symbol.definition is not None
    ]
    handed_on = sorted(file.reexports)
    definitions += [
        guarded(item.guard, item.statement)
        for item in handed_on
        if item.guard in (Guard.IF, Guard.TRY)
    ]
    lazy = {item.seen_as: item.statement for item in handed_on if item.guard is Guard.LAZY}
    if lazy:
        definitions.append(lazy_getattr(lazy))
    return _join(blocks, definitions)


def _imports(module: str, file: _File) -> str:
    plain: set[str] = set()
    members: set[tuple[str, str]] = set()
    for symbol in file.symbols:
        mentioned = {**symbol.names, **decorator_imports(symbol.definition)}
        for base in _bases(symbol):
            mentioned[base.partition(":")[2]] = base
        for name, origin in mentioned.items():
            source, _, member = origin.partition(":")
            if not member:
                bound = source.partition(".")[0]
                plain.add(source if name == bound else f"{source} as {name}")
            elif source != module:
                members.add((source, member if member == name else f"{member} as {name}"))
    uses_core = bool(file.symbols) or "." not in module
    core = ["import driftgate_stub_core as core"] if uses_core else []
    root = module.partition(".")[0]
    inside = {item for item in members if item[0].partition(".")[0] == root}
    from_core = {item for item in members if item[0] == CORE}
    exported = {(item.source, item.member) for item in file.reexports if item.guard is Guard.NONE}
    groups = [
        [f"import {name}" for name in sorted(plain)] + _from(members - inside - from_core),
        core + _from(from_core),
        _from(inside | exported),
        ["SHAPE = core.shape(__file__)"] if uses_core else [],
    ]
    return "\n\n".join("\n".join(group) for group in groups if group)


def _from(members: set[tuple[str, str]]) -> list[str]:
    by_source: dict[str, list[str]] = {}
    for source, member in sorted(members):
        by_source.setdefault(source, []).append(member)
    lines = []
    for source, names in by_source.items():
        line = f"from {source} import {', '.join(names)}"
        if len(line) > LINE_LENGTH:
            line = f"from {source} import (\n    " + ",\n    ".join(names) + ",\n)"
        lines.append(line)
    return lines


def _bases(symbol: Symbol) -> tuple[str, ...]:
    bases = symbol.definition.bases if isinstance(symbol.definition, Class) else ()
    return tuple(base for base in bases if ":" in base)


def _in_order(symbols: list[Symbol]) -> list[Symbol]:
    """Sort so that what a signature or a base mentions is defined above it."""
    by_home = {symbol.defined_in: symbol for symbol in symbols}
    ordered: dict[str, Symbol] = {}

    def place(symbol: Symbol) -> None:
        if symbol.defined_in in ordered:
            return
        for origin in _mentioned(symbol):
            if origin in by_home and origin != symbol.defined_in:
                place(by_home[origin])
        ordered[symbol.defined_in] = symbol

    for symbol in symbols:
        place(symbol)
    return list(ordered.values())


def _join(blocks: list[str], definitions: list[str]) -> str:
    head = "\n\n".join(block for block in blocks if block)
    text = "\n\n\n".join([head, *definitions])
    return text + "\n"
