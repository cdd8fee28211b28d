"""What calls do: into the upstream, the consumer or the library."""

from __future__ import annotations

import ast
from abc import abstractmethod
from dataclasses import dataclass

from driftgate.calls.conditions import ALWAYS, all_of, without
from driftgate.calls.expressions import Expressions
from driftgate.calls.library import LIBRARY, Arguments
from driftgate.calls.mappings import change
from driftgate.calls.model import Call, SentKeyword
from driftgate.calls.spelling import spell
from driftgate.calls.state import Frame, FunctionInfo
from driftgate.calls.values import (
    Above,
    Alternative,
    Constant,
    Imported,
    Items,
    Keywords,
    Local,
    LocalClass,
    LocalObject,
    Partial,
    Unknown,
    Upstream,
    Value,
    either,
    flatten,
    just,
    under,
    unknown,
)

DEEPEST = 8
"""Calls within calls are followed this far."""


@dataclass(frozen=True)
class Reached:
    """A call being followed: one thing it may go to, with what."""

    alternative: Alternative
    given: Arguments
    node: ast.expr
    frame: Frame


class Invocations(Expressions):
    """Follows calls; the bodies of the consumer's functions are left to a subclass."""

    @abstractmethod
    def run(self, info: FunctionInfo, frame: Frame) -> None:
        """Follow the body of ``info`` in ``frame``."""

    def invoke(self, target: Value, frame: Frame, node: ast.expr) -> Value:
        """Return what calling ``target`` without arguments returns."""
        return self._reach(target, Arguments(), node, frame)

    def call(self, node: ast.Call, frame: Frame) -> Value:
        """Return what a call can return, and record it where it goes into the upstream."""
        func = node.func
        if isinstance(func, ast.Name) and func.id == "super":
            return just(Above(frame.owner, frame.this))
        if isinstance(func, ast.Attribute):
            base = self.value(func.value, frame)
            if any(isinstance(alternative.atom, Keywords) for alternative in base):
                given = self._arguments(node, frame)
                changed, result = change(base, func.attr, given, spell(func.value))
                self.rebind(func.value, changed, frame)
                return result
            target = self.attribute(func, frame, called=True)
        else:
            target = self.value(func, frame)
        return self._reach(target, self._arguments(node, frame), node, frame)

    def rebind(self, target: ast.expr, value: Value, frame: Frame) -> None:
        """Let the name or attribute ``target`` stand for a changed mapping."""
        if isinstance(target, ast.Name):
            if target.id in frame.names or frame.stack:
                self.assign_name(target.id, value, frame)
        elif isinstance(target, ast.Attribute):
            self.assign_attribute(target, value, frame)

    @abstractmethod
    def assign_attribute(self, target: ast.Attribute, value: Value, frame: Frame) -> None:
        """Bind an attribute."""

    def _arguments(self, node: ast.Call, frame: Frame) -> Arguments:
        positional: list[Value] = []
        keywords = Keywords()
        spread: list[str] = []
        for argument in node.args:
            value = self.value(argument, frame)
            if not isinstance(argument, ast.Starred):
                positional.append(value)
                continue
            items = value[0].atom if len(value) == 1 else None
            if isinstance(items, Items):
                positional.extend(items.values)
            else:
                spread.append(spell(argument))
        for keyword in node.keywords:
            value = self.value(keyword.value, frame)
            if keyword.arg is None:
                keywords = keywords.merge(flatten(value, spell(keyword.value)))
            else:
                keywords = keywords.put(keyword.arg, value)
        return Arguments(tuple(positional), keywords, tuple(spread))

    def _reach(self, target: Value, given: Arguments, node: ast.expr, frame: Frame) -> Value:
        results = []
        known = [a for a in target if a.atom != Constant(None)]
        foreign = all(isinstance(a.atom, Unknown | Imported) for a in known)
        for alternative in known:
            reached = Reached(alternative, given, node, frame)
            results.append(under(self._apply(reached), alternative.when))
        if foreign and isinstance(node, ast.Call):
            self._unresolved_receiver(node, given, frame)
        return either(*results) if results else unknown(spell(node))

    def _apply(self, reached: Reached) -> Value:  # noqa: PLR0911 - one return a kind
        atom, given, frame = reached.alternative.atom, reached.given, reached.frame
        if isinstance(atom, Upstream):
            return self._upstream(atom.path, reached)
        if isinstance(atom, Imported) and atom.path in LIBRARY:
            return LIBRARY[atom.path](self, given, reached.node, frame)
        if isinstance(atom, Partial):
            joined = Arguments(
                (*atom.positional, *given.positional),
                atom.keywords.merge(given.keywords),
                given.spread,
            )
            return self._reach(atom.target, joined, reached.node, frame)
        if isinstance(atom, Local):
            return self._local(atom, reached)
        if isinstance(atom, LocalClass):
            return self._construct(atom, reached)
        if isinstance(atom, LocalObject):
            return self._call_object(atom, reached)
        if isinstance(atom, Imported | Unknown):
            self._doubt_mappings(reached)
        return unknown(spell(reached.node))

    def _call_object(self, atom: LocalObject, reached: Reached) -> Value:
        bound = tuple(
            Alternative(Local(a.atom.key, just(atom)), a.when)
            for a in self.state.member(atom.key, "__call__") or ()
            if isinstance(a.atom, Local)
        )
        if not bound:
            return unknown(spell(reached.node))
        return self._reach(bound, reached.given, reached.node, reached.frame)

    def _upstream(self, path: str, reached: Reached, doubt: tuple[str, ...] = ()) -> Value:
        if not self.state.is_watched(path):
            return unknown(spell(reached.node))
        given, frame = reached.given, reached.frame
        keywords = tuple(
            SentKeyword(entry.key, without(entry.when, frame.when))
            for entry in given.keywords.entries
        )
        self.state.ledger.call(
            Call(
                symbol=path,
                site=frame.site(reached.node),
                positional=len(given.positional),
                keywords=keywords,
                unresolved=(*given.spread, *given.keywords.unresolved, *doubt),
                when=all_of(frame.when, reached.alternative.when),
            )
        )
        return just(Upstream(f"{path}()"))

    def _unresolved_receiver(self, node: ast.Call, given: Arguments, frame: Frame) -> None:
        """Record a call whose name can only mean the upstream, though on what is not known."""
        func = node.func
        name = func.attr if isinstance(func, ast.Attribute) else ""
        symbol = self.state.distinctive.get(name)
        if symbol is not None and isinstance(func, ast.Attribute):
            reached = Reached(Alternative(Upstream(symbol)), given, node, frame)
            self._upstream(symbol, reached, (f"what {spell(func.value)} is",))

    def _doubt_mappings(self, reached: Reached) -> None:
        """A function that is not followed may change a mapping that it is given."""
        node, frame = reached.node, reached.frame
        text = spell(node)
        if not isinstance(node, ast.Call) or "log" in spell(node.func).lower():
            return
        if isinstance(
            reached.alternative.atom, Imported
        ) and reached.alternative.atom.path.startswith("builtins."):
            return
        for argument in node.args:
            value = frame.names.get(argument.id) if isinstance(argument, ast.Name) else None
            if value is not None and any(isinstance(a.atom, Keywords) for a in value):
                doubted = flatten(value, spell(argument)).merge(Keywords(unresolved=(text,)))
                self.rebind(argument, just(doubted), frame)

    def _local(self, atom: Local, reached: Reached) -> Value:
        info, frame, node = self.state.functions[atom.key], reached.frame, reached.node
        if atom.key in frame.stack or len(frame.stack) >= DEEPEST:
            return unknown(spell(node))
        this = () if "staticmethod" in info.decorators else atom.this
        inner = self.frame_for(info, this, reached.given)
        inner.when = all_of(frame.when, reached.alternative.when, info.when)
        inner.stack = (*frame.stack, atom.key)
        inner.guarded = frame.guarded
        before = dict(inner.names)
        self.run(info, inner)
        frame.forget()
        self._write_back(info, reached, before, inner)
        exits = inner.exits
        if len(exits) == 1:
            return exits[0][0]
        return either(*(under(value, without(when, frame.when)) for value, when, _ in exits))

    def _write_back(
        self, info: FunctionInfo, reached: Reached, before: dict[str, Value], inner: Frame
    ) -> None:
        """Hand changes that a function made to a mapping back to the caller's name for it."""
        node = reached.node
        if not isinstance(node, ast.Call):
            return
        names = [argument.arg for argument in (*info.node.args.posonlyargs, *info.node.args.args)]
        if info.owner and "staticmethod" not in info.decorators:
            names = names[1:]
        sent = [
            *zip(names, node.args, strict=False),
            *((keyword.arg or "", keyword.value) for keyword in node.keywords),
        ]
        for name, argument in sent:
            if not any(isinstance(a.atom, Keywords) for a in before.get(name, ())):
                continue
            after = [(names_then.get(name), when) for _, when, names_then in inner.exits]
            if all(value == before[name] for value, _ in after):
                continue
            changed = either(
                *(
                    under(value, without(when, reached.frame.when))
                    for value, when in after
                    if value is not None
                )
            )
            merged = changed if len(changed) == 1 else just(flatten(changed, name))
            self.rebind(argument, merged, reached.frame)

    def _construct(self, atom: LocalClass, reached: Reached) -> Value:
        made = just(LocalObject(atom.key))
        info = self.state.classes[atom.key]
        init = self.state.member(atom.key, "__init__")
        if init is not None:
            for alternative in init:
                if isinstance(alternative.atom, Local):
                    bound = Alternative(Local(alternative.atom.key, made), alternative.when)
                    self._apply(Reached(bound, reached.given, reached.node, reached.frame))
            return made
        for base in info.bases:
            for alternative in base:
                if isinstance(alternative.atom, Upstream):
                    inner = Reached(alternative, reached.given, reached.node, reached.frame)
                    self._upstream(alternative.atom.path, inner)
        for number, name in enumerate(info.fields):
            entry = reached.given.keywords.entry(name)
            if number < len(reached.given.positional):
                value = reached.given.positional[number]
            elif entry is not None:
                value = under(entry.value, entry.when)
            else:
                value = info.members.get(name, unknown(name))
            self.state.memory.stored[atom.key, name].append(value)
        return made

    def enter(self, info: FunctionInfo) -> None:
        """Follow ``info`` as somebody unknown would call it, with anything."""
        self.state.entered.add(info.key)
        this: Value = ()
        if info.owner and "staticmethod" not in info.decorators:
            bound = LocalClass if "classmethod" in info.decorators else LocalObject
            this = just(bound(info.owner))
        frame = self.frame_for(info, this, None)
        frame.when = info.when
        self.run(info, frame)

    def frame_for(self, info: FunctionInfo, this: Value, given: Arguments | None) -> Frame:
        """Return a frame with the parameters of ``info`` bound; without arguments, to anything."""
        frame = Frame(
            source=self.state.sources[info.module],
            owner=info.owner,
            this=this,
            closure=info.closure,
            stack=(info.key,),
            scope=info.key.rpartition(":")[2] + ".",
        )
        spec = info.node.args
        names = [argument.arg for argument in (*spec.posonlyargs, *spec.args)]
        if this and names:
            frame.names[names.pop(0)] = this
        defaults = [*spec.defaults][-len(names) :] if names else []
        pairs = dict(zip(names[len(names) - len(defaults) :], defaults, strict=True))
        pairs |= {
            argument.arg: default
            for argument, default in zip(spec.kwonlyargs, spec.kw_defaults, strict=True)
            if default is not None
        }
        names += [argument.arg for argument in spec.kwonlyargs]
        positional = len(names) - len(spec.kwonlyargs)
        for number, name in enumerate(names):
            frame.names[name] = self._argument(
                number if number < positional else None, name, pairs.get(name), given, frame
            )
        if spec.vararg is not None:
            rest = given.positional[positional:] if given is not None else ()
            known = given is not None and not given.spread
            value = just(Items(rest)) if known else unknown(f"*{spec.vararg.arg}")
            frame.names[spec.vararg.arg] = value
        if spec.kwarg is not None:
            rest_of = Keywords(unresolved=(f"**{spec.kwarg.arg}",))
            if given is not None:
                entries = tuple(e for e in given.keywords.entries if e.key not in names)
                rest_of = Keywords(entries, given.keywords.unresolved)
            frame.names[spec.kwarg.arg] = just(rest_of)
        return frame

    def _argument(
        self,
        number: int | None,
        name: str,
        default: ast.expr | None,
        given: Arguments | None,
        frame: Frame,
    ) -> Value:
        if given is None or given.spread or (given.keywords.unresolved and number is not None):
            entry = given.keywords.entry(name) if given is not None else None
            return either(entry.value, unknown(name)) if entry is not None else unknown(name)
        if number is not None and number < len(given.positional):
            return given.positional[number]
        fallback = self.value(default, frame) if default is not None else unknown(name)
        entry = given.keywords.entry(name)
        if entry is None:
            return fallback
        return entry.value if entry.when == ALWAYS else either(entry.value, fallback)
