"""What importing a package does: third-party imports, calls, and classes subscripted."""

from __future__ import annotations

import ast
import builtins
import sys
from typing import TYPE_CHECKING, TypeVar

from driftgate.insides.model import ImportEffect
from driftgate.surface.bindings import statements
from driftgate.surface.model import Guard

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from driftgate.insides.target import LowLevel
    from driftgate.surface.resolve import Resolver
    from driftgate.surface.sources import ParsedModule

_N = TypeVar("_N", bound=ast.expr)
# Every class of these can be subscripted wherever it exists.
_GENERIC_EVERYWHERE = ("typing", "collections")


class ImportReader:
    """Follows the imports that run when ``root`` is imported, within it.

    Attributes:
        modules: Modules reached, and whether each is reached under a guard only.
    """

    def __init__(self, resolver: Resolver, root: str) -> None:
        self._resolver = resolver
        self._package = root.partition(".")[0]
        self.modules: dict[str, bool] = {}
        pending = [(root, False)]
        while pending:
            name, guarded = pending.pop()
            module = resolver.tree.module(name)
            known = self.modules.get(name)
            # Reached before, and no more surely now.
            if module is None or known is False or (known and guarded):
                continue
            self.modules[name] = guarded
            pending += [
                (imported, guarded or inner)
                for imported, inner in _imported(module)
                if imported.startswith(f"{root}.")
            ]

    def imports(self) -> tuple[ImportEffect, ...]:
        """Return the imports of third-party modules."""
        own = (self._package, *sys.stdlib_module_names)
        found = _unique(
            ImportEffect(name, module.name, guarded)
            for module, outer in self._parsed()
            for name, guarded in _third_party(module, outer=outer)
            if name.partition(".")[0] not in own
        )
        return _first(found)

    def calls(self) -> tuple[ImportEffect, ...]:
        """Return the calls at module and class level; the standard library's are left out.

        Decorators are left out too: they belong to the surface.
        """
        return _unique(
            ImportEffect(callee, module.name, guarded)
            for module, outer in self._parsed()
            for node, guarded in _nodes(module, ast.Call, outer=outer, decorators=False)
            if (callee := self._dotted(module, node.func))
            and callee.partition(".")[0] not in sys.stdlib_module_names
            and not hasattr(builtins, callee)
        )

    def deferred(self, rows: Iterable[LowLevel]) -> tuple[ImportEffect, ...]:
        """Return the calls in functions of what ``rows`` say matters while importing."""
        matter = [row for row in rows if row.import_only]
        found = _unique(
            ImportEffect(callee, module.name)
            for module, _ in self._parsed()
            for function in ast.walk(module.tree)
            if isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef))
            for node in ast.walk(ast.Module(function.body, []))
            if isinstance(node, ast.Call)
            and (callee := self._dotted(module, node.func))
            and any(row.matches(callee) for row in matter)
        )
        return _first(found)

    def generics(self) -> tuple[ImportEffect, ...]:
        """Return the classes of the standard library that are subscripted."""
        return _unique(
            ImportEffect(name, module.name, guarded)
            for module, outer in self._parsed()
            for node, guarded in _nodes(module, ast.Subscript, outer=outer)
            if (name := self._dotted(module, node.value))
            and name.partition(".")[0] in sys.stdlib_module_names
            and name.partition(".")[0] not in _GENERIC_EVERYWHERE
            # A value is subscripted to take an item of it: `sys.argv[0]`, `os.environ["X"]`.
            and name.rpartition(".")[2] not in ("argv", "environ", "modules", "version_info")
        )

    def _parsed(self) -> Iterator[tuple[ParsedModule, bool]]:
        for name, guarded in self.modules.items():
            module = self._resolver.tree.module(name)
            if module is not None:
                yield module, guarded

    def _dotted(self, module: ParsedModule, node: ast.expr) -> str:
        if isinstance(node, ast.Attribute):
            base = self._dotted(module, node.value)
            return f"{base}.{node.attr}" if base else ""
        if not isinstance(node, ast.Name):
            return ""
        return self._resolver.origin(module, node.id).replace(":", ".") or node.id


def _imported(module: ParsedModule) -> Iterator[tuple[str, bool]]:
    """Yield every module that importing ``module`` imports, and whether under a guard."""
    for node, guard in statements(module.tree.body):
        guarded = guard is not Guard.NONE
        if isinstance(node, ast.ImportFrom):
            source = module.absolute(node.module, node.level)
            # A name imported from a package may be a module of it.
            for name in (source, *(f"{source}.{alias.name}" for alias in node.names)):
                yield name, guarded
        elif isinstance(node, ast.Import):
            for alias in node.names:
                yield alias.name, guarded


def _third_party(module: ParsedModule, *, outer: bool) -> Iterator[tuple[str, bool]]:
    for node, guard in statements(module.tree.body):
        guarded = outer or guard is not Guard.NONE
        if isinstance(node, ast.ImportFrom) and not node.level and node.module:
            yield node.module, guarded
        elif isinstance(node, ast.Import):
            for alias in node.names:
                yield alias.name, guarded


def _nodes(
    module: ParsedModule, kind: type[_N], *, outer: bool, decorators: bool = True
) -> Iterator[tuple[_N, bool]]:
    for statement, guard in statements(module.tree.body):
        for root in _evaluated(statement, lazy=module.lazy_annotations, decorators=decorators):
            for node in _walk(root):
                if isinstance(node, kind):
                    yield node, outer or guard is not Guard.NONE


def _evaluated(node: ast.stmt, *, lazy: bool, decorators: bool) -> Iterator[ast.expr]:
    """Yield the expressions that Python evaluates when it runs ``node`` at import."""
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        args = node.args
        yield from node.decorator_list if decorators else ()
        yield from args.defaults
        yield from (default for default in args.kw_defaults if default)
        if not lazy:
            every = [*args.posonlyargs, *args.args, *args.kwonlyargs, args.vararg, args.kwarg]
            yield from (arg.annotation for arg in every if arg and arg.annotation)
            yield from [node.returns] if node.returns else []
    elif isinstance(node, ast.ClassDef):
        yield from node.decorator_list if decorators else ()
        yield from (*node.bases, *(keyword.value for keyword in node.keywords))
        for child, _ in statements(node.body):
            yield from _evaluated(child, lazy=lazy, decorators=decorators)
    elif isinstance(node, ast.AnnAssign):
        yield from [node.value] if node.value else []
        yield from [] if lazy else [node.annotation]
    else:
        yield from (child for child in ast.iter_child_nodes(node) if isinstance(child, ast.expr))


def _walk(node: ast.AST) -> Iterator[ast.AST]:
    yield node
    if not isinstance(node, ast.Lambda):
        for child in ast.iter_child_nodes(node):
            yield from _walk(child)


def _first(effects: Iterable[ImportEffect]) -> tuple[ImportEffect, ...]:
    """Return one effect for each thing: of many modules that do it, one that surely does."""
    first: dict[str, ImportEffect] = {}
    for item in effects:
        known = first.get(item.what)
        if known is None or (known.guarded and not item.guarded):
            first[item.what] = item
    return tuple(first.values())


def _unique(effects: Iterable[ImportEffect]) -> tuple[ImportEffect, ...]:
    """Return each effect once, in order of name; one without a guard outweighs guarded ones."""
    least: dict[tuple[str, str], bool] = {}
    for effect in effects:
        key = (effect.what, effect.module)
        least[key] = least.get(key, True) and effect.guarded
    return tuple(ImportEffect(*key, guarded) for key, guarded in sorted(least.items()))
