"""Turn a defining statement into the values of the surface model."""

from __future__ import annotations

import ast
import sys
from typing import TYPE_CHECKING

from driftgate.surface.fold import NotConstantError, fold
from driftgate.surface.model import Class, Constant, Definition, Function, Param, ParamKind

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from driftgate.surface.sources import ParsedModule

_FunctionNode = (ast.FunctionDef, ast.AsyncFunctionDef)


class Describer:
    """Describes statements of one module, and gathers the origins of the names they mention.

    Attributes:
        names: Origin by name, for what signatures and bases mention; builtins are left out.
    """

    def __init__(self, module: ParsedModule, origin: Callable[[ParsedModule, str], str]) -> None:
        self._module = module
        self._origin = origin
        self.names: dict[str, str] = {}

    def definition(self, node: ast.stmt, name: str, members: tuple[str, ...]) -> Definition:
        """Describe ``node``, which binds ``name``; of a class, only the given ``members``."""
        if isinstance(node, _FunctionNode):
            return self.function(node)
        if isinstance(node, ast.ClassDef):
            return self._class(node, members)
        values = {
            bound: value
            for bound in self._module.bindings.by_name
            if bound != name and (value := self._module.bindings.value(bound)) is not None
        }
        return self._constant(node, values)

    def function(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> Function:
        """Describe a function: every parameter in order, decorators, return annotation."""
        args = node.args
        positional = [*args.posonlyargs, *args.args]
        first_default = len(positional) - len(args.defaults)
        params = [
            self._param(
                arg,
                ParamKind.POSITIONAL_ONLY
                if index < len(args.posonlyargs)
                else ParamKind.POSITIONAL_OR_KEYWORD,
                args.defaults[index - first_default] if index >= first_default else None,
            )
            for index, arg in enumerate(positional)
        ]
        if args.vararg:
            params.append(self._param(args.vararg, ParamKind.VAR_POSITIONAL))
        params += [
            self._param(arg, ParamKind.KEYWORD_ONLY, default)
            for arg, default in zip(args.kwonlyargs, args.kw_defaults, strict=True)
        ]
        if args.kwarg:
            params.append(self._param(args.kwarg, ParamKind.VAR_KEYWORD))
        return Function(tuple(params), self._text(node.returns), self._decorators(node))

    def _param(self, arg: ast.arg, kind: ParamKind, default: ast.expr | None = None) -> Param:
        return Param(arg.arg, kind, self._text(default), self._text(arg.annotation))

    def _class(self, node: ast.ClassDef, wanted: tuple[str, ...]) -> Class:
        members: dict[str, Function | Constant] = {}
        values: dict[str, ast.expr] = {}
        for child in node.body:
            if isinstance(child, _FunctionNode):
                if is_watched(child.name, wanted):
                    members[child.name] = self.function(child)
                continue
            for name in _assigned(child):
                if is_watched(name, wanted):
                    members[name] = self._constant(child, values)
                value = getattr(child, "value", None)
                if isinstance(value, ast.expr):
                    values[name] = value
        bases = tuple(self._canonical(base) for base in node.bases)
        return Class(bases, self._decorators(node), members)

    def _constant(self, node: ast.stmt, values: Mapping[str, ast.expr]) -> Constant:
        value = node.value if isinstance(node, (ast.Assign, ast.AnnAssign)) else None
        annotation = node.annotation if isinstance(node, ast.AnnAssign) else None
        if value is None:
            return Constant(None, self._text(annotation))
        try:
            text = repr(fold(value, values))
        except NotConstantError:
            text = self._text(value) or ""
        return Constant(text, self._text(annotation))

    def _decorators(
        self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
    ) -> tuple[str, ...]:
        return tuple(self._decorator(decorator) for decorator in node.decorator_list)

    def _decorator(self, node: ast.expr) -> str:
        if not isinstance(node, ast.Call):
            return self._decorator_name(node)
        given = ["..."] * len(node.args)
        given += [f"{keyword.arg}=..." for keyword in node.keywords]
        return f"{self._decorator_name(node.func)}({', '.join(given)})"

    def _decorator_name(self, node: ast.expr) -> str:
        # The standard library's in full; of others the last part, for they move between modules
        # without a consumer noticing.
        full = self._canonical(node).replace(":", ".")
        top = full.partition(".")[0]
        return full if top in sys.stdlib_module_names else full.rpartition(".")[2]

    def _canonical(self, node: ast.expr) -> str:
        """Return the origin of a name or dotted name; other expressions as text."""
        head, _, rest = ast.unparse(node).partition(".")
        origin = self._origin(self._module, head)
        if not origin or not head.isidentifier():
            return ast.unparse(node)
        if not rest:
            return origin
        return f"{origin}.{rest}" if ":" in origin else f"{origin}:{rest}"

    def _text(self, node: ast.expr | None) -> str | None:
        if node is None:
            return None
        for inner in ast.walk(node):
            if isinstance(inner, ast.Name):
                origin = self._origin(self._module, inner.id)
                if origin:
                    self.names[inner.id] = origin
        return ast.unparse(node)


def _assigned(node: ast.stmt) -> list[str]:
    if isinstance(node, ast.Assign):
        return [target.id for target in node.targets if isinstance(target, ast.Name)]
    if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
        return [node.target.id]
    return []


def is_watched(name: str, wanted: tuple[str, ...]) -> bool:
    """Whether a class's member is watched; where none is named, all public ones are."""
    if wanted:
        return name in wanted
    return not name.startswith("_") or (name.startswith("__") and name.endswith("__"))
