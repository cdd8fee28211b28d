"""What a consumer uses of the upstream, and where: read in its text, and seen when it ran."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

from driftgate.calls.conditions import Exists

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from driftgate.calls.model import Call, Mention, Source, Usage
    from driftgate.calls.rules import CallRules
    from driftgate.surface.model import Surface

_SELF = "self"


class How(str, Enum):
    """In what way something is used."""

    CALL = "called"
    IMPORT = "imported"
    READ = "read"
    SUBCLASS = "subclassed"
    PATCH = "replaced"
    NAME = "looked up by name"


@dataclass(frozen=True)
class Use:
    """One use of a watched symbol.

    Attributes:
        symbol: The watched symbol's id.
        member: The member of it, or empty.
        site: ``file:line``.
        how: In what way.
        positional: For a call, how many arguments are given by position.
        sent: For a call, the parameters that it can give by name.
        always: Those of them that it always gives.
        open: For a call, whether some arguments could not be followed.
        defines: For a subclass, what its body defines.
        probed: Whether the consumer survives its absence.
    """

    symbol: str
    member: str
    site: str
    how: How
    positional: int = 0
    sent: frozenset[str] = frozenset()
    always: frozenset[str] = frozenset()
    open: bool = False
    defines: frozenset[str] = frozenset()
    probed: bool = False


class Uses:
    """All uses of one consumer.

    Args:
        uses: The uses.
    """

    def __init__(self, uses: Iterable[Use]) -> None:
        self._uses = sorted(set(uses), key=lambda use: (_place(use.site), use.symbol, use.member))

    def of(self, symbol: str, member: str = "") -> list[Use]:
        """Return the uses of a member; without one, those of the symbol and of all its members.

        What is used of a class by name alone may be any member. A constructor is used where the
        class is called or subclassed.
        """
        found = [use for use in self._uses if use.symbol == symbol]
        if not member:
            return found
        ways = (How.CALL, How.SUBCLASS) if member == "__init__" else (How.SUBCLASS,)
        return [
            use
            for use in found
            if use.member == member or (not use.member and use.how in (*ways, How.NAME))
        ]

    def of_method(self, method: str) -> list[Use]:
        """Return the uses of a method, whatever its class."""
        return [use for use in self._uses if use.member == method]


def _place(site: str) -> tuple[str, int]:
    path, _, line = site.rpartition(":")
    return path, int(line or 0)


@dataclass(frozen=True)
class Locator:
    """Finds the watched symbols that a dotted path means.

    Attributes:
        surfaces: Of the releases in question: a symbol may be defined elsewhere in each.
        rules: What calls return.
    """

    surfaces: Sequence[Surface]
    rules: CallRules

    def find(self, path: str) -> list[tuple[str, str]]:
        """Return the id of each symbol meant, with the member; none where it is not watched."""
        owner, call, member = path.rpartition("().")
        if call:
            returned = self.rules.returns.get(owner) or [id_ for id_, _ in self.find(owner)]
            return [(id_, member) for id_ in returned]
        ids = self._ids()
        if path in ids:
            return [(ids[path], "")]
        owner, _, member = path.rpartition(".")
        return [(ids[owner], member)] if ":" in ids.get(owner, "") else []

    def named(self, name: str) -> list[tuple[str, str]]:
        """Return the symbols that are called ``name``, or ``Class.method``."""
        name, _, member = name.partition(".")
        return [(id_, member) for id_ in self._symbols() if id_.rpartition(":")[2] == name]

    def _symbols(self) -> list[str]:
        return list(dict.fromkeys(id_ for surface in self.surfaces for id_ in surface.symbols))

    def _ids(self) -> dict[str, str]:
        ids = {id_.replace(":", "."): id_ for id_ in self._symbols()}
        for surface in self.surfaces:
            for symbol in surface.symbols.values():
                if symbol.defined_in:
                    ids.setdefault(symbol.defined_in.replace(":", "."), symbol.id)
        return ids


def uses_in_text(usage: Usage, sources: Sequence[Source], locator: Locator) -> Iterator[Use]:
    """Yield what a consumer's text uses."""
    classes = {
        f"{source.path}:{node.lineno}": node
        for source in sources
        for node in ast.walk(ast.parse(source.text))
        if isinstance(node, ast.ClassDef)
    }
    for call in usage.calls:
        yield from _called(call, locator)
    for how, mentions in (
        (How.IMPORT, usage.imports),
        (How.READ, usage.reads),
        (How.PATCH, usage.patches),
        (How.SUBCLASS, usage.subclasses),
    ):
        for mention in mentions:
            yield from _mentioned(mention, how, locator, classes)
    for source in sources:
        yield from _named(source, locator)


def _called(call: Call, locator: Locator) -> Iterator[Use]:
    how = How.NAME if call.by_name else How.CALL
    sent = frozenset(keyword.name for keyword in call.keywords)
    always = frozenset(keyword.name for keyword in call.keywords if keyword.always)
    asked = any(isinstance(question, Exists) and answer for question, answer in call.when.needs)
    for symbol, member in locator.find(call.symbol):
        site = str(call.site)
        yield Use(
            symbol,
            member,
            site,
            how,
            call.positional,
            sent,
            always,
            open=bool(call.unresolved),
            probed=asked,
        )


def _mentioned(
    mention: Mention, how: How, locator: Locator, classes: dict[str, ast.ClassDef]
) -> Iterator[Use]:
    node = classes.get(str(mention.site)) if how is How.SUBCLASS else None
    defines = frozenset(
        inner.name
        for inner in (node.body if node else ())
        if isinstance(inner, ast.FunctionDef | ast.AsyncFunctionDef)
    )
    for symbol, member in locator.find(mention.symbol):
        site = str(mention.site)
        yield Use(symbol, member, site, how, defines=defines, probed=mention.probed)


def _named(source: Source, locator: Locator) -> Iterator[Use]:
    """Yield watched symbols that a string spells: what is looked up so cannot be followed."""
    for node in ast.walk(ast.parse(source.text)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            for symbol, member in locator.named(node.value):
                yield Use(symbol, member, f"{source.path}:{node.lineno}", How.NAME)


@dataclass(frozen=True)
class SeenCall:
    """A call that crossed the border while the consumer ran.

    Attributes:
        symbol: ``allreduce_fusion``, ``Class.method``.
        site: ``file:line``, as the text's sites are shown.
        args: The parameters that were given, by name or by position.
        by_keyword: Those of them that were given by name.
    """

    symbol: str
    site: str
    args: frozenset[str]
    by_keyword: frozenset[str]


def uses_when_run(calls: Iterable[SeenCall], locator: Locator) -> Iterator[Use]:
    """Yield what was seen to be used; what only some calls of a site send is not always sent."""
    sites: dict[tuple[str, str], list[SeenCall]] = {}
    for call in calls:
        sites.setdefault((call.symbol, call.site), []).append(call)
    for (name, site), seen in sites.items():
        for symbol, member in locator.named(name):
            yield Use(
                symbol,
                member,
                site,
                How.CALL,
                positional=max(len(call.args - call.by_keyword - {_SELF}) for call in seen),
                sent=frozenset[str]().union(*(call.by_keyword for call in seen)),
                always=frozenset.intersection(*(call.by_keyword for call in seen)),
            )
