"""Read expressions: what they may be, in terms of the entry's parameters."""

from __future__ import annotations

import ast
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

from driftgate.insides.frames import Arguments, Frame, FunctionNode, bind_arguments
from driftgate.insides.outcome import Outcome
from driftgate.insides.values import NOTHING, SOMETHING, Term, Value, joined, literal, spelled

if TYPE_CHECKING:
    from driftgate.insides.names import Names
    from driftgate.insides.target import InsidesTarget

_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.GeneratorExp, ast.DictComp)


class Expressions(ABC):
    """Evaluates expressions in a frame, over what is known of the values.

    Attributes:
        outcome: What was found so far.
        optional: Parameters of the entry that may be left out, and what they are then.
    """

    def __init__(
        self, names: Names, target: InsidesTarget, watched: frozenset[str], *, follow: bool
    ) -> None:
        """Read with ``watched`` as the names whose refusals count beside the entry's own."""
        self.outcome = Outcome()
        self.optional: dict[str, Value] = {}
        self.names = names
        self.target = target
        self.watched = watched
        self.follow = follow
        self.stack: list[ast.AST] = []

    @abstractmethod
    def call(self, node: ast.Call, frame: Frame) -> Value:
        """Note what a call reaches, and return what it may return."""

    @abstractmethod
    def body(self, node: FunctionNode, frame: Frame) -> Value:
        """Read the body of ``node`` in ``frame`` and return what it returns."""

    def value(self, node: ast.expr | None, frame: Frame) -> Value:
        """Return what ``node`` may be."""
        if node is None:
            return NOTHING
        if isinstance(node, ast.Call):
            return self.call(node, frame)
        reader = getattr(self, f"_{type(node).__name__.lower()}", None)
        if reader is not None:
            found: Value = reader(node, frame)
            return found
        if isinstance(node, _COMPREHENSIONS):
            return self._comprehension(node, frame)
        if isinstance(node, ast.Lambda):
            return Value(frozenset({SOMETHING}))
        parts = [
            self.value(child, frame)
            for child in ast.iter_child_nodes(node)
            if isinstance(child, ast.expr)
        ]
        return spelled(ast.unparse(node), *parts)

    def _constant(self, node: ast.Constant, frame: Frame) -> Value:  # noqa: ARG002
        return literal(node.value) if node.value is not ... else Value(frozenset({SOMETHING}))

    def _name(self, node: ast.Name, frame: Frame) -> Value:
        if node.id in frame.env:
            return frame.env[node.id]
        return Value(frozenset({Term(self.names.spelled(node, frame))}))

    def _namedexpr(self, node: ast.NamedExpr, frame: Frame) -> Value:
        value = self.value(node.value, frame)
        frame.bind(node.target.id, value)
        return value

    def _attribute(self, node: ast.Attribute, frame: Frame) -> Value:
        if is_self(node.value, frame) and node.attr in frame.fields:
            return frame.fields[node.attr]
        dotted = self.names.spelled(node, frame)
        if dotted:
            return Value(frozenset({Term(dotted)}))
        base = self.value(node.value, frame)
        parts = [
            self._property(term, node.attr)
            for term in base.terms
            # None has no attributes worth following: that branch would have raised.
            if not term.literal
        ]
        found = joined(*parts) if parts else Value(frozenset({SOMETHING}))
        return found.depending(base.params)

    def _property(self, term: Term, name: str) -> Value:
        method = self.names.method(self.names.by_id(term.instance), name)
        if method and any(ast.unparse(item) == "property" for item in method[1].decorator_list):
            owner, node = method
            env = bind_arguments(node, Arguments([Value(frozenset({term}))]))
            return self.body(node, Frame(owner.module, env, owner=owner))
        return spelled(f"{term.text}.{name}")

    def _unaryop(self, node: ast.UnaryOp, frame: Frame) -> Value:
        operand = self.value(node.operand, frame)
        if isinstance(node.op, ast.Not) and operand.truth is not None:
            return literal(not operand.truth).depending(operand.params)
        return spelled(ast.unparse(node), operand)

    def _boolop(self, node: ast.BoolOp, frame: Frame) -> Value:
        """``and`` and ``or``: the operand that decides, or what it may be."""
        stops = isinstance(node.op, ast.Or)
        possible: list[Value] = []
        params: frozenset[str] = frozenset()
        for operand in node.values:
            value = self.value(operand, frame)
            params |= value.params
            if stops and value.truth:
                possible.append(value)
                break
            if value.truth is None or operand is node.values[-1]:
                possible.append(value)
            if value.truth is False and not stops:
                # Whatever the operands before it are, the whole is false.
                return literal(value=False).depending(params)
        # ``and`` hands on the operand that decided; its possibilities are rarely worth a text.
        if not stops and len(possible) > 1:
            return spelled(ast.unparse(node), *possible).depending(params)
        return joined(*possible).depending(params)

    def _compare(self, node: ast.Compare, frame: Frame) -> Value:
        values = [self.value(item, frame) for item in (node.left, *node.comparators)]
        answer = _comparison(node.ops[0], values) if len(node.ops) == 1 else None
        if answer is None:
            return spelled(ast.unparse(node), *values)
        return literal(answer).depending(joined(*values).params)

    def _ifexp(self, node: ast.IfExp, frame: Frame) -> Value:
        test = self.value(node.test, frame)
        if test.truth is not None:
            chosen = node.body if test.truth else node.orelse
            return self.value(chosen, frame).depending(test.params)
        kept = frame.env
        sides = []
        for holds, side in ((True, node.body), (False, node.orelse)):
            frame.env = {**kept, **self.narrowed(node.test, frame, holds=holds)}
            sides.append(self.value(side, frame))
            frame.env = kept
        return joined(*sides).depending(test.params)

    def narrowed(self, test: ast.expr, frame: Frame, *, holds: bool) -> dict[str, Value]:
        """Return what the name that ``test`` asks about may still be, if ``test`` holds or not."""
        if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
            return self.narrowed(test.operand, frame, holds=not holds)
        if isinstance(test, ast.Call) and len(test.args) > 1:
            name: ast.expr = test.args[0]
        elif isinstance(test, ast.Compare):
            name = test.left
        else:
            name = test
        before = frame.env.get(name.id) if isinstance(name, ast.Name) else None
        if not isinstance(name, ast.Name) or before is None:
            return {}
        kept = []
        for term in before.terms:
            frame.env[name.id] = Value(frozenset({term}), before.params)
            if self.value(test, frame).truth in (None, holds):
                kept.append(term)
        frame.env[name.id] = before
        return {name.id: Value(frozenset(kept), before.params)} if kept else {}

    def _comprehension(
        self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp, frame: Frame
    ) -> Value:
        kept = dict(frame.env)
        parts: list[Value] = []
        for generator in node.generators:
            parts.append(self.value(generator.iter, frame))
            self.assign(
                generator.target, None, Value(frozenset({SOMETHING}), parts[-1].params), frame
            )
            parts += [self.value(test, frame) for test in generator.ifs]
        elements = [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
        parts += [self.value(element, frame) for element in elements]
        frame.env = kept
        return spelled("…", *parts)

    def assign(self, target: ast.expr, node: ast.expr | None, value: Value, frame: Frame) -> None:
        """Let ``target`` be ``value``, which ``node`` spells where it is spelled out."""
        if isinstance(target, ast.Name):
            frame.bind(target.id, value)
            if frame.is_entry and self.optional.get(target.id) == NOTHING:
                self.outcome.defaults.setdefault(target.id, set()).update(value.texts)
        elif isinstance(target, ast.Attribute) and is_self(target.value, frame):
            before = frame.fields.get(target.attr)
            weak = before is not None and frame.conditions
            frame.fields[target.attr] = joined(before, value) if weak and before else value
        elif isinstance(target, (ast.Tuple, ast.List)):
            spelled_out = (
                node.elts
                if isinstance(node, (ast.Tuple, ast.List)) and len(node.elts) == len(target.elts)
                else [None] * len(target.elts)
            )
            for item, part in zip(target.elts, spelled_out, strict=True):
                unknown = Value(frozenset({SOMETHING}), value.params)
                self.assign(item, part, self.value(part, frame) if part else unknown, frame)
        elif isinstance(target, ast.Starred):
            self.assign(target.value, None, value, frame)


def is_self(node: ast.expr, frame: Frame) -> bool:
    """Whether ``node`` is the object that the method of ``frame`` is called on."""
    return frame.owner is not None and isinstance(node, ast.Name) and node.id in ("self", "cls")


def _comparison(operator: ast.cmpop, values: list[Value]) -> bool | None:
    left, right = values
    if isinstance(operator, (ast.Is, ast.IsNot)) and right == NOTHING:
        answer = left.is_none
        return answer if answer is None or isinstance(operator, ast.Is) else not answer
    if len(left.terms) == len(right.terms) == 1:
        (one,), (other,) = left.terms, right.terms
        if one.literal and other.literal and isinstance(operator, (ast.Eq, ast.NotEq)):
            same = ast.literal_eval(one.text) == ast.literal_eval(other.text)
            return same if isinstance(operator, ast.Eq) else not same
    return None
