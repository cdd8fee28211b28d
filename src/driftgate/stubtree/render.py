"""Spell one definition of a surface as Python source."""

from __future__ import annotations

import sys
import textwrap
from typing import TYPE_CHECKING

from driftgate.surface.model import Class, Constant, Definition, Function, Guard, Param, ParamKind

if TYPE_CHECKING:
    from collections.abc import Iterator

CORE = "driftgate_stub_core"
LINE_LENGTH = 100
_BUILTIN_DECORATORS = {"staticmethod", "classmethod", "property"}


def render_definition(name: str, definition: Definition) -> str:
    """Return the source of ``definition`` under ``name``, without a final newline."""
    if isinstance(definition, Function):
        return _function(name, name, definition, indent="", is_method=False)
    if isinstance(definition, Class):
        return _class(name, definition)
    if isinstance(definition, Constant):
        return _constant(name, definition)
    raise TypeError(definition)


def guarded(guard: Guard, source: str) -> str:
    """Bind what ``source`` binds under ``guard``; in a stub the guard always lets it through."""
    inner = textwrap.indent(source, "    ")
    if guard is Guard.IF:
        return f"if True:\n{inner}"
    if guard is Guard.TRY:
        return f"try:\n{inner}\nexcept ImportError:\n    pass"
    return source


def lazy_getattr(imports: dict[str, str]) -> str:
    """Return a module ``__getattr__`` that imports each name of ``imports`` when asked for it."""
    lines = ["def __getattr__(name: str):"]
    for name, statement in imports.items():
        lines += [f'    if name == "{name}":', f"        {statement}", "", f"        return {name}"]
    return "\n".join([*lines, "    raise AttributeError(name)"])


def decorator_imports(definition: Definition | None) -> dict[str, str]:
    """Return origins of the names that decorators need, as :attr:`Symbol.names` has them."""
    names: dict[str, str] = {}
    for decorator in _decorators(definition):
        dotted = decorator.partition("(")[0]
        top, _, rest = dotted.partition(".")
        if dotted in _BUILTIN_DECORATORS or rest in ("setter", "deleter"):
            continue
        if top in sys.stdlib_module_names:
            names[top] = top
        else:
            names[dotted] = f"{CORE}:{dotted}"
    return names


def _decorators(definition: Definition | None) -> Iterator[str]:
    if isinstance(definition, (Function, Class)):
        yield from definition.decorators
    if isinstance(definition, Class):
        for member in definition.members.values():
            if isinstance(member, Function):
                yield from member.decorators


def _class(name: str, definition: Class) -> str:
    bases = ", ".join(base.rpartition(":")[2] for base in definition.bases)
    lines = [f"@{decorator}" for decorator in definition.decorators]
    lines.append(f"class {name}({bases}):" if bases else f"class {name}:")
    parts: list[str] = []
    constants = [
        f"    {_constant(member, value)}"
        for member, value in definition.members.items()
        if isinstance(value, Constant)
    ]
    if constants:
        parts.append("\n".join(constants))
    parts += [
        _function(
            member,
            f"{name}.{member}",
            value,
            indent="    ",
            is_method="staticmethod" not in value.decorators,
        )
        for member, value in definition.members.items()
        if isinstance(value, Function)
    ]
    return "\n".join(lines) + "\n" + ("\n\n".join(parts) or "    pass")


def _constant(name: str, constant: Constant) -> str:
    annotation = f": {_quoted(constant.annotation)}" if constant.annotation else ""
    value = f" = {_quoted(constant.value)}" if constant.value is not None else ""
    return f"{name}{annotation}{value}"


def _function(name: str, symbol: str, function: Function, *, indent: str, is_method: bool) -> str:
    lines = [f"{indent}@{decorator}" for decorator in function.decorators]
    params = list(_params(function.params))
    returns = f" -> {_quoted(function.returns)}" if function.returns else ""
    flat = f"{indent}def {name}({', '.join(params)}){returns}:"
    if len(flat) <= LINE_LENGTH:
        lines.append(flat)
    else:
        lines.append(f"{indent}def {name}(")
        lines += [f"{indent}    {param}," for param in params]
        lines.append(f"{indent}){returns}:")
    owner = function.params[0].name if is_method and function.params else "SHAPE"
    target = "method" if is_method else "call"
    lines.append(f'{indent}    return core.{target}("{symbol}", {owner}, locals())')
    return "\n".join(lines)


def _params(params: tuple[Param, ...]) -> Iterator[str]:
    kinds = [param.kind for param in params]
    for index, param in enumerate(params):
        if param.kind is ParamKind.KEYWORD_ONLY and not any(
            kind in (ParamKind.VAR_POSITIONAL, ParamKind.KEYWORD_ONLY) for kind in kinds[:index]
        ):
            yield "*"
        yield _param(param)
        following = kinds[index + 1] if index + 1 < len(kinds) else None
        if param.kind is ParamKind.POSITIONAL_ONLY and following is not ParamKind.POSITIONAL_ONLY:
            yield "/"


def _param(param: Param) -> str:
    stars = {ParamKind.VAR_POSITIONAL: "*", ParamKind.VAR_KEYWORD: "**"}.get(param.kind, "")
    text = f"{stars}{param.name}"
    if param.annotation:
        text += f": {_quoted(param.annotation)}"
    if param.default is None:
        return text
    equals = " = " if param.annotation else "="
    return f"{text}{equals}{_quoted(param.default)}"


def _quoted(text: str) -> str:
    """Spell strings as formatters do; a surface keeps the single quotes of ``ast.unparse``."""
    return text if '"' in text else text.replace("'", '"')
