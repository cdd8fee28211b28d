"""The scope of one function while it is read, and how arguments meet parameters."""

from __future__ import annotations

import ast
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from driftgate.insides.conditions import expanded, is_plain
from driftgate.insides.values import NOTHING, SOMETHING, Value, joined, literal, spelled

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from driftgate.insides.conditions import Path
    from driftgate.surface.resolve import Found
    from driftgate.surface.sources import ParsedModule

FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True)
class Condition:
    """A condition that is not known, and that holds where the present statement is.

    Attributes:
        text: As source text.
        params: Parameters of the entry that it depends on.
        options: Those of them that a caller must give: at their defaults it does not hold.
        meaning: The same as conjuncts, names spelled out.
        hinges: Parameters that it hinges on: parts that the defaults surely meet are left out.
    """

    text: str
    params: frozenset[str] = frozenset()
    options: frozenset[str] = frozenset()
    meaning: Path = ()
    hinges: frozenset[str] = frozenset()


@dataclass
class Frame:
    """One function that is being read.

    Attributes:
        module: Where it is defined.
        env: What its names may be.
        where: Its name, if its refusals count; else empty.
        owner: The class it is a method of.
        fields: Attributes of ``self``; shared by the methods of one object.
        imports: Names imported inside the function: module and name there, empty for a module.
        functions: Functions defined inside it.
        is_entry: Whether its own calls are the entry's.
        returned: What it returned so far.
        conditions: Undecided conditions around the present statement, innermost last.
        options: What the callers' conditions need to be given.
        after: Conditions that hold because the function, or the loop, was not left before.
        definitions: What the names stand for that are bound once, and to something plain.
        once: Names that are bound once, parameters included.
    """

    module: ParsedModule
    env: dict[str, Value]
    where: str = ""
    owner: Found | None = None
    fields: dict[str, Value] = field(default_factory=dict)
    imports: dict[str, tuple[str, str]] = field(default_factory=dict)
    functions: dict[str, FunctionNode] = field(default_factory=dict)
    is_entry: bool = False
    returned: list[Value] = field(default_factory=list)
    conditions: list[Condition] = field(default_factory=list)
    options: frozenset[str] = frozenset()
    after: list[Path] = field(default_factory=list)
    definitions: dict[str, str] = field(default_factory=dict)
    once: frozenset[str] = frozenset()

    @property
    def path(self) -> Path:
        """All that is told of when the present statement runs, as conjuncts."""
        told = (*(item.meaning for item in self.conditions), *self.after)
        return tuple(dict.fromkeys(text for texts in told for text in texts))

    @property
    def control(self) -> frozenset[str]:
        """Parameters that decide whether the present statement runs."""
        return frozenset().union(*(item.params for item in self.conditions))

    @property
    def needed(self) -> frozenset[str]:
        """Parameters that a caller must give for the present statement to run."""
        return self.options.union(*(item.options for item in self.conditions))

    def define(self, name: str, node: ast.expr) -> None:
        """Let ``name`` stand for ``node`` where that is plain, and no name of it varies."""
        names = {item.id for item in ast.walk(node) if isinstance(item, ast.Name)}
        local = names.intersection(self.env)
        if name in self.once and local <= self.once and is_plain(node):
            self.definitions[name] = expanded(node, self.definitions)

    def bind(self, name: str, value: Value) -> None:
        """Let ``name`` be ``value`` from here on."""
        self.env[name] = value.depending(self.control)
        self.functions.pop(name, None)

    @property
    def result(self) -> Value:
        """What the function returns."""
        return joined(*self.returned) if self.returned else NOTHING


@dataclass(frozen=True)
class Arguments:
    """The arguments of one call.

    Attributes:
        positional: In order; what ``*`` unpacks is in ``rest``.
        keyword: By name.
        rest: What is unpacked by ``*`` or ``**``.
    """

    positional: Sequence[Value] = ()
    keyword: Mapping[str, Value] = field(default_factory=dict)
    rest: Sequence[Value] = ()

    @property
    def all(self) -> list[Value]:
        """Every argument."""
        return [*self.positional, *self.keyword.values(), *self.rest]

    def after(self, *first: Value) -> Arguments:
        """Return the arguments with ``first`` in front."""
        return Arguments([*first, *self.positional], self.keyword, self.rest)

    def value(self, name: str, position: int) -> Value | None:
        """Return the argument called ``name``, or at ``position``."""
        if name in self.keyword:
            return self.keyword[name]
        return self.positional[position] if position < len(self.positional) else None


def bind_arguments(node: FunctionNode, given: Arguments) -> dict[str, Value]:
    """Return what each parameter of ``node`` is in a call; defaults fill what is not given."""
    args = node.args
    unpacked = Value(frozenset({SOMETHING}), joined(*given.rest).params) if given.rest else None
    positional = [*args.posonlyargs, *args.args]
    first_default = len(positional) - len(args.defaults)
    bound: dict[str, Value] = {}
    for index, arg in enumerate(positional):
        default = args.defaults[index - first_default] if index >= first_default else None
        bound[arg.arg] = _argument(arg.arg, index, given, default, unpacked)
    for arg, default in zip(args.kwonlyargs, args.kw_defaults, strict=True):
        bound[arg.arg] = _argument(arg.arg, len(given.positional), given, default, unpacked)
    if args.vararg:
        bound[args.vararg.arg] = spelled("…", *given.positional[len(positional) :], *given.rest)
    if args.kwarg:
        left = [value for name, value in given.keyword.items() if name not in bound]
        bound[args.kwarg.arg] = spelled("…", *left, *given.rest)
    return bound


def _argument(
    name: str, index: int, given: Arguments, default: ast.expr | None, unpacked: Value | None
) -> Value:
    found = given.value(name, index)
    if found is not None:
        return found
    usual = default_value(default)
    return joined(usual, unpacked) if unpacked else usual


def default_value(default: ast.expr | None) -> Value:
    """Return what a parameter is where no argument is given."""
    if default is None:
        return Value(frozenset({SOMETHING}))
    if isinstance(default, ast.Constant):
        return literal(default.value)
    return spelled(ast.unparse(default))


def parameters(node: FunctionNode) -> list[str]:
    """Return the names of the parameters, in order, stars left out."""
    args = node.args
    return [arg.arg for arg in (*args.posonlyargs, *args.args, *args.kwonlyargs)]


def bound_once(node: FunctionNode) -> frozenset[str]:
    """Return the names that ``node`` binds in one place: parameters, and what is assigned once."""
    stored = Counter(parameters(node))
    stored.update(
        item.id
        for item in ast.walk(node)
        if isinstance(item, ast.Name) and isinstance(item.ctx, ast.Store)
    )
    return frozenset(name for name, times in stored.items() if times == 1)


def defaults(node: FunctionNode) -> dict[str, Value]:
    """Return what each parameter of ``node`` is that a caller may leave out."""
    args = node.args
    positional = [*args.posonlyargs, *args.args]
    given: list[tuple[ast.arg, ast.expr | None]] = [
        *zip(reversed(positional), reversed(args.defaults), strict=False),
        *zip(args.kwonlyargs, args.kw_defaults, strict=True),
    ]
    return {arg.arg: default_value(default) for arg, default in given if default}
