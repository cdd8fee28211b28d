"""What expressions stand for, and what conditions ask."""

from __future__ import annotations

import ast
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

from driftgate.calls.asking import membership, sameness, truth
from driftgate.calls.conditions import (
    ALWAYS,
    NEVER,
    Condition,
    all_of,
    any_of,
    named,
    negate,
    opaque,
    paired,
)
from driftgate.calls.ledger import READ
from driftgate.calls.mappings import put_key
from driftgate.calls.model import Mention
from driftgate.calls.spelling import spell
from driftgate.calls.values import (
    Above,
    Atom,
    Constant,
    Entry,
    Flag,
    Imported,
    Items,
    Keywords,
    Local,
    LocalClass,
    LocalObject,
    Parameters,
    Upstream,
    Value,
    distilled,
    either,
    flatten,
    join,
    just,
    under,
    unknown,
)

if TYPE_CHECKING:
    from driftgate.calls.state import Frame, State


class Expressions(ABC):
    """Evaluates expressions in a frame; calls are left to a subclass."""

    def __init__(self, state: State) -> None:
        self.state = state

    @abstractmethod
    def call(self, node: ast.Call, frame: Frame) -> Value:
        """Return what a call can return, and record it where it goes into the upstream."""

    @abstractmethod
    def invoke(self, target: Value, frame: Frame, node: ast.expr) -> Value:
        """Return what calling ``target`` without arguments returns (a property)."""

    def note(self, kind: str, mention: Mention) -> None:
        """Record a mention of the watched module."""
        if self.state.is_watched(mention.symbol):
            self.state.ledger.mention(kind, mention)

    def assign_name(self, name: str, value: Value, frame: Frame) -> None:
        """Bind a local, or a global that the function declared."""
        if name in frame.shared:
            kept = distilled(value, frame.when)
            self.state.memory.rebound[frame.source.module, name].append(kept)
        frame.names[name] = value

    def value(self, node: ast.expr, frame: Frame) -> Value:
        """Return what ``node`` can stand for."""
        method = getattr(self, f"_{type(node).__name__.lower()}", None)
        if method is not None:
            result: Value = method(node, frame)
            return result
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.expr):
                self.value(child, frame)
        return unknown(spell(node))

    def test(self, node: ast.expr, frame: Frame) -> Condition:
        """Return the condition that an ``if`` on ``node`` puts, with its text."""
        return named(spell(node), self.condition(node, frame))

    def condition(self, node: ast.expr, frame: Frame) -> Condition:
        """Return when ``node`` is true."""
        if isinstance(node, ast.BoolOp):
            parts: list[Condition] = []
            inner = frame.branch(ALWAYS)
            for part in node.values:
                holds = self.condition(part, inner)
                parts.append(holds)
                inner.assume(holds if isinstance(node.op, ast.And) else negate(holds))
            frame.names.update(inner.names)
            opposites = [negate(part) for part in parts]
            if isinstance(node.op, ast.And):
                return paired(all_of(*parts), any_of(*opposites))
            return paired(any_of(*parts), all_of(*opposites))
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            return negate(self.condition(node.operand, frame))
        if isinstance(node, ast.Compare) and len(node.ops) == 1:
            return self._comparison(node, frame)
        return truth(self.value(node, frame), spell(node))

    def attribute(self, node: ast.Attribute, frame: Frame, *, called: bool = False) -> Value:
        """Return what ``node`` reads; a read of the upstream is recorded unless it is called."""
        kept = frame.names.get(spell(node))
        if kept is not None:
            return kept
        base = self.value(node.value, frame)
        found = [
            under(self._member(alternative.atom, node, frame, called=called), alternative.when)
            for alternative in base
            if alternative.atom != Constant(None)
        ]
        return either(*found) if found else unknown(spell(node))

    def _member(self, atom: Atom, node: ast.Attribute, frame: Frame, *, called: bool) -> Value:
        name = node.attr
        if isinstance(atom, Upstream):
            path = f"{atom.path}.{name}"
            if not called:
                self.note(READ, Mention(path, frame.site(node), frame.when))
            return just(Upstream(path))
        if isinstance(atom, Imported):
            own = self.state.global_value(atom.path, name, own=False)
            return own if own is not None else just(Imported(f"{atom.path}.{name}"))
        if isinstance(atom, LocalObject):
            return self._object_member(atom, node, frame)
        if isinstance(atom, Above):
            return self._inherited(atom, name, spell(node))
        member = self.state.member(atom.key, name) if isinstance(atom, LocalClass) else None
        if isinstance(atom, Parameters) and name == "parameters":
            member = just(atom)
        return member if member is not None else unknown(spell(node))

    def _object_member(self, atom: LocalObject, node: ast.Attribute, frame: Frame) -> Value:
        member = self.state.member(atom.key, node.attr)
        this = just(atom)
        if member is not None:
            bound = []
            for alternative in member:
                inner = alternative.atom
                if isinstance(inner, Local):
                    inner = Local(inner.key, this)
                    info = self.state.functions[inner.key]
                    if {"property", "cached_property"} & set(info.decorators):
                        got = self.invoke(just(inner), frame, node)
                        bound.append(under(got, alternative.when))
                        continue
                bound.append(under(just(inner), alternative.when))
            stored = self.state.stored_value(atom.key, node.attr)
            return either(*bound, stored) if stored is not None else either(*bound)
        stored = self.state.stored_value(atom.key, node.attr)
        if stored is not None:
            return stored
        return self._inherited(Above(atom.key, this), node.attr, spell(node))

    def _inherited(self, atom: Above, name: str, text: str) -> Value:
        """Look ``name`` up in the bases of a class, the upstream's included."""
        info = self.state.classes.get(atom.key)
        found: list[Value] = []
        for base in info.bases if info else ():
            for alternative in base:
                if isinstance(alternative.atom, Upstream):
                    path = alternative.atom.path
                    member = path if name == "__init__" else f"{path}().{name}"
                    found.append(under(just(Upstream(member)), alternative.when))
                elif isinstance(alternative.atom, LocalClass):
                    member_value = self.state.member(alternative.atom.key, name)
                    for inner in member_value or ():
                        bound = inner.atom
                        if isinstance(bound, Local):
                            bound = Local(bound.key, atom.this)
                        found.append(under(just(bound), all_of(alternative.when, inner.when)))
        return either(*found) if found else unknown(text)

    def _comparison(self, node: ast.Compare, frame: Frame) -> Condition:
        text = spell(node)
        left, operator = self.value(node.left, frame), node.ops[0]
        right = self.value(node.comparators[0], frame)
        if isinstance(operator, ast.In | ast.NotIn):
            found = membership(left, right, text)
            return found if isinstance(operator, ast.In) else negate(found)
        if isinstance(operator, ast.Eq | ast.Is):
            return sameness(left, right, text)
        if isinstance(operator, ast.NotEq | ast.IsNot):
            return negate(sameness(left, right, text.replace("!=", "==").replace("is not", "is")))
        return opaque(text)

    def _name(self, node: ast.Name, frame: Frame) -> Value:
        if node.id in frame.names:
            return frame.names[node.id]
        if node.id in frame.closure and node.id not in frame.shared:
            return frame.closure[node.id]
        found = self.state.global_value(frame.source.module, node.id, own=not frame.stack)
        return found if found is not None else just(Imported(f"builtins.{node.id}"))

    def _constant(self, node: ast.Constant, _frame: Frame) -> Value:
        return just(Constant(node.value))

    def _attribute(self, node: ast.Attribute, frame: Frame) -> Value:
        return self.attribute(node, frame)

    def _call(self, node: ast.Call, frame: Frame) -> Value:
        return self.call(node, frame)

    def _await(self, node: ast.Await, frame: Frame) -> Value:
        return self.value(node.value, frame)

    def _starred(self, node: ast.Starred, frame: Frame) -> Value:
        return self.value(node.value, frame)

    def _namedexpr(self, node: ast.NamedExpr, frame: Frame) -> Value:
        found = self.value(node.value, frame)
        self.assign_name(node.target.id, found, frame)
        return found

    def _ifexp(self, node: ast.IfExp, frame: Frame) -> Value:
        test = self.test(node.test, frame)
        opposite = negate(test)
        if NEVER in (test, opposite):
            return self.value(node.orelse if test == NEVER else node.body, frame)
        yes = self.value(node.body, frame.branch(test))
        no = self.value(node.orelse, frame.branch(opposite))
        return join(yes, test, no, opposite)

    def _boolop(self, node: ast.BoolOp, frame: Frame) -> Value:
        if isinstance(node.op, ast.And):
            return just(Flag(self.condition(node, frame)))
        found: list[Value] = []
        before: Condition = ALWAYS
        for part in node.values:
            value = self.value(part, frame)
            found.append(under(value, before))
            before = all_of(before, negate(truth(value, spell(part))))
        return either(*found)

    def _unaryop(self, node: ast.UnaryOp, frame: Frame) -> Value:
        if isinstance(node.op, ast.Not):
            return just(Flag(self.condition(node, frame)))
        self.value(node.operand, frame)
        return unknown(spell(node))

    def _compare(self, node: ast.Compare, frame: Frame) -> Value:
        return just(Flag(self.condition(node, frame)))

    def _tuple(self, node: ast.Tuple | ast.List | ast.Set, frame: Frame) -> Value:
        return just(Items(tuple(self.value(item, frame) for item in node.elts)))

    _list = _set = _tuple

    def _dict(self, node: ast.Dict, frame: Frame) -> Value:
        built = Keywords()
        for key, item in zip(node.keys, node.values, strict=True):
            value = self.value(item, frame)
            if key is None:
                built = built.merge(flatten(value, spell(item)))
                continue
            built = put_key(built, self.value(key, frame), value, spell(key))
        return just(built)

    def _binop(self, node: ast.BinOp, frame: Frame) -> Value:
        left, right = self.value(node.left, frame), self.value(node.right, frame)
        if isinstance(node.op, ast.BitOr) and any(isinstance(a.atom, Keywords) for a in left):
            return just(flatten(left, spell(node.left)).merge(flatten(right, spell(node.right))))
        return unknown(spell(node))

    def _subscript(self, node: ast.Subscript, frame: Frame) -> Value:
        base, index = self.value(node.value, frame), self.value(node.slice, frame)
        key = index[0].atom.value if isinstance(index[0].atom, Constant) else None
        found: list[Value] = []
        for alternative in base:
            atom = alternative.atom
            entry = atom.entry(key) if isinstance(atom, Keywords) and isinstance(key, str) else None
            if entry is not None:
                found.append(under(entry.value, alternative.when))
            elif isinstance(atom, Items) and isinstance(key, int) and -1 <= key < len(atom.values):
                found.append(under(atom.values[key], alternative.when))
        return either(*found) if found else unknown(spell(node))

    def _dictcomp(self, node: ast.DictComp, frame: Frame) -> Value:
        """Follow ``{k: v for k, v in d.items() if k in parameters}``; the rest is not known."""
        text = spell(node)
        inner = frame.branch(ALWAYS)
        source = node.generators[0]
        iterated = self.value(source.iter, frame)
        mapping = next((a.atom for a in iterated if isinstance(a.atom, Keywords)), None)
        named = isinstance(node.key, ast.Name) and isinstance(source.target, ast.Tuple)
        if mapping is None or not named or len(node.generators) > 1:
            return just(Keywords(unresolved=(text,)))
        assert isinstance(node.key, ast.Name)  # noqa: S101 - `named` says so; this tells mypy
        entries = []
        for entry in mapping.entries:
            inner.names[node.key.id] = just(Constant(entry.key))
            kept = all_of(*(self.test(part, inner) for part in source.ifs))
            entries.append(Entry(entry.key, entry.value, all_of(entry.when, kept)))
        return just(Keywords(tuple(e for e in entries if e.when != NEVER), mapping.unresolved))

    def _lambda(self, node: ast.Lambda, frame: Frame) -> Value:
        inner = frame.branch(ALWAYS)
        for argument in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs):
            inner.names[argument.arg] = unknown(argument.arg)
        if node.args.kwarg is not None:
            spread = Keywords(unresolved=(f"**{node.args.kwarg.arg}",))
            inner.names[node.args.kwarg.arg] = just(spread)
        self.value(node.body, inner)
        return unknown(spell(node))
