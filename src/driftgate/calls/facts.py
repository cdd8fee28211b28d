"""What one release has, by the dotted paths that consumers spell."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

from driftgate.calls.conditions import Exists, Question, Takes
from driftgate.surface.model import Class, Definition, Function, Param, ParamKind, Surface

if TYPE_CHECKING:
    from driftgate.calls.rules import CallRules

_VARIADIC = (ParamKind.VAR_POSITIONAL, ParamKind.VAR_KEYWORD)


class Presence(str, Enum):
    """Whether a release has something; not everything is recorded."""

    THERE = "there"
    ABSENT = "absent"
    NOT_RECORDED = "not recorded"


@dataclass(frozen=True)
class Found:
    """One thing that a path can lead to.

    Attributes:
        symbol: Its name in reports: ``allreduce_fusion``, ``Class.method``.
        presence: Whether the release has it.
        params: What can be given to it, ``self`` left out; None where it cannot be called or
            that is not recorded.
    """

    symbol: str
    presence: Presence
    params: tuple[Param, ...] | None = None

    @property
    def keywords(self) -> frozenset[str]:
        """Names that can be given by keyword."""
        return frozenset(
            param.name
            for param in self.params or ()
            if param.kind in (ParamKind.POSITIONAL_OR_KEYWORD, ParamKind.KEYWORD_ONLY)
        )

    @property
    def positional(self) -> tuple[str, ...]:
        """Names that can be given by position, in order."""
        return tuple(
            param.name
            for param in self.params or ()
            if param.kind in (ParamKind.POSITIONAL_ONLY, ParamKind.POSITIONAL_OR_KEYWORD)
        )

    def has(self, kind: ParamKind) -> bool:
        """Whether there is a parameter of ``kind``."""
        return any(param.kind is kind for param in self.params or ())

    @property
    def required(self) -> tuple[str, ...]:
        """Names without a default."""
        return tuple(
            param.name
            for param in self.params or ()
            if param.default is None and param.kind not in _VARIADIC
        )


class ReleaseFacts:
    """One recorded surface, asked by dotted path."""

    def __init__(self, surface: Surface, rules: CallRules) -> None:
        self.release = surface.release
        self._rules = rules
        self._symbols = {id_.replace(":", "."): symbol for id_, symbol in surface.symbols.items()}
        self._ids = {id_.replace(":", "."): id_ for id_ in surface.symbols}
        for symbol in surface.symbols.values():
            if symbol.defined_in:
                home = symbol.defined_in.replace(":", ".")
                self._symbols.setdefault(home, symbol)
                self._ids.setdefault(home, symbol.id)

    def find(self, path: str) -> tuple[Found, ...]:
        """Return what ``path`` can lead to: one thing, or one for each class a call can return."""
        owner, call, member = path.rpartition("().")
        if not call:
            return (self._plain(path),)
        classes = self._rules.returns.get(owner)
        if classes is None:
            classes = (self._ids.get(owner, owner),)
        found = [self._member(id_, member) for id_ in classes]
        return tuple(one for one in found if one is not None)

    def answer(self, question: Question, of: Found | None = None) -> bool | None:
        """Answer what a consumer asks; None where that is not recorded.

        Args:
            question: The question.
            of: The method being called, which questions about the same method mean.
        """
        path = question.symbol
        candidates = self.find(path)
        if of is not None and "()." in path and path.endswith(f".{of.symbol.partition('.')[2]}"):
            candidates = (of,)
        if isinstance(question, Exists):
            answers = {_as_bool(found.presence) for found in candidates}
        else:
            answers = {_takes(found, question) for found in candidates}
        return answers.pop() if len(answers) == 1 else None

    def _plain(self, path: str) -> Found:
        name = path.removeprefix(f"{self._rules.module}.")
        short = path.rpartition(".")[2]
        if path == self._rules.module.partition(".")[0]:
            return Found(name, Presence.THERE)
        if path in self._symbols:
            definition = self._symbols[path].definition
            if definition is None:
                return Found(short, Presence.ABSENT)
            return Found(short, Presence.THERE, _params(definition))
        owner = path.rpartition(".")[0]
        if owner in self._symbols and owner in self._ids:
            found = self._member(self._ids[owner], short)
            if found is not None:
                return found
        return Found(name, Presence.NOT_RECORDED)

    def _member(self, id_: str, member: str) -> Found | None:
        """Return a member of a class; None where the release lacks the class."""
        symbol = self._symbols.get(id_.replace(":", "."))
        definition = symbol.definition if symbol is not None else None
        if symbol is not None and definition is None:
            return None
        label = f"{id_.rpartition(':')[2]}.{member}"
        if not isinstance(definition, Class):
            return Found(label, Presence.NOT_RECORDED)
        if member in definition.members:
            inner = definition.members[member]
            return Found(label, Presence.THERE, _params(inner, bound=True))
        # An attribute that __init__ sets is no member, and members may be inherited.
        watched = self._rules.narrowed.get(id_)
        known = (watched is None or member in watched) and _is_enum(definition)
        return Found(label, Presence.ABSENT if known else Presence.NOT_RECORDED)


def _is_enum(definition: Class) -> bool:
    """Whether all members show: FlashInfer's own enumerations are plain classes of integers."""
    return not any(isinstance(member, Function) for member in definition.members.values())


def _params(definition: Definition, *, bound: bool = False) -> tuple[Param, ...] | None:
    if isinstance(definition, Class):
        init = definition.members.get("__init__")
        return init.params[1:] if isinstance(init, Function) else None
    if not isinstance(definition, Function):
        return None
    static = any(name.rpartition(".")[2] == "staticmethod" for name in definition.decorators)
    return definition.params[1:] if bound and not static else definition.params


def _as_bool(presence: Presence) -> bool | None:
    return None if presence is Presence.NOT_RECORDED else presence is Presence.THERE


def _takes(found: Found, question: Takes) -> bool | None:
    if found.presence is Presence.ABSENT:
        return False
    if found.params is None:
        return None
    return any(param.name == question.parameter for param in found.params)
