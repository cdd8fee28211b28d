"""Follows statements in order, branch by branch."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from driftgate.calls.conditions import ALWAYS, NEVER, Condition, any_of, negate, opaque
from driftgate.calls.definitions import Definitions
from driftgate.calls.ledger import PATCH
from driftgate.calls.mappings import put_key
from driftgate.calls.model import Mention
from driftgate.calls.spelling import spell
from driftgate.calls.values import (
    Constant,
    Items,
    Keywords,
    LocalObject,
    Upstream,
    Value,
    distilled,
    either,
    join,
    just,
    under,
    unknown,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from driftgate.calls.state import Frame, FunctionInfo

IMPORT_FAILURES = {"ImportError", "ModuleNotFoundError", "AttributeError", "Exception", ""}
"""Handlers that survive a failed import; the empty name is a bare ``except``."""


class Interpreter(Definitions):
    """Runs the bodies of modules and functions."""

    def run(self, info: FunctionInfo, frame: Frame) -> None:
        """Follow the body of ``info`` in ``frame``."""
        self.state.followed.add(info.key)
        if isinstance(info.node, ast.Lambda):
            frame.exits.append((self.value(info.node.body, frame), frame.when, frame.names))
            return
        self.block(info.node.body, frame)
        if frame.alive:
            frame.exits.append((just(Constant(None)), frame.when, frame.names))

    def block(self, body: Sequence[ast.stmt], frame: Frame) -> None:
        """Follow ``body`` until its end, or until nothing reaches further."""
        for statement in body:
            if not frame.alive:
                return
            method: Callable[[ast.stmt, Frame], None] | None
            method = getattr(self, f"_{type(statement).__name__.lower()}", None)
            if method is not None:
                method(statement, frame)

    def branches(self, frame: Frame, arms: list[tuple[Condition, Sequence[ast.stmt]]]) -> None:
        """Follow exactly one of ``arms``, and go on with what they leave."""
        followed = []
        for condition, body in arms:
            if condition != NEVER:
                arm = frame.branch(condition)
                self._follow(arm, body)
                followed.append(arm)
        self.merge(frame, followed)

    def _follow(self, arm: Frame, body: Sequence[ast.stmt]) -> None:
        """Follow an arm; what a module binds in it is what functions called there see."""
        module = arm.source.module
        outer = self.state.memory.globals.get(module)
        top_level = not arm.stack and not arm.owner
        if top_level:
            self.state.memory.globals[module] = arm.names
        self.block(body, arm)
        if top_level and outer is not None:
            self.state.memory.globals[module] = outer

    def merge(self, frame: Frame, arms: list[Frame]) -> None:
        """Let ``frame`` go on after ``arms``, of which one was taken."""
        alive = [arm for arm in arms if arm.alive]
        if not alive:
            frame.alive = False
            return
        taken = any_of(*(arm.here for arm in alive))
        names, condition = alive[0].names, alive[0].here
        for arm in alive[1:]:
            names = _join_names(names, condition, arm.names, arm.here, frame.shared)
            condition = any_of(condition, arm.here)
        whole = len(alive) == len(arms) and not any(arm.exited for arm in arms)
        frame.names.clear()
        frame.names.update(names)
        frame.exited = frame.exited or any(arm.exited or not arm.alive for arm in arms)
        if not whole:
            frame.assume(taken)

    def _if(self, node: ast.If, frame: Frame) -> None:
        test = self.test(node.test, frame)
        self.branches(frame, [(test, node.body), (negate(test), node.orelse)])

    def _match(self, node: ast.Match, frame: Frame) -> None:
        subject = spell(node.subject)
        arms: list[tuple[Condition, Sequence[ast.stmt]]] = [
            (opaque(f"{subject} matches {spell(case.pattern)}"), case.body) for case in node.cases
        ]
        self.branches(frame, [*arms, (opaque(f"{subject} matches nothing"), [])])

    def _try(self, node: ast.Try, frame: Frame) -> None:
        handled = [_handler_names(handler) for handler in node.handlers]
        survives = any(names & IMPORT_FAILURES for names in handled)
        body = frame.branch(ALWAYS)
        body.guarded += survives
        self._follow(body, [*node.body, *node.orelse])
        body.guarded -= survives
        arms = [body]
        for handler, names in zip(node.handlers, handled, strict=True):
            asked = body.imported if names & IMPORT_FAILURES else ALWAYS
            failed: Condition = opaque(f"{' or '.join(sorted(names)) or 'anything'} is raised")
            arm = frame.branch(negate(asked) if asked != ALWAYS else failed)
            if handler.name:
                arm.names[handler.name] = unknown(handler.name)
            self._follow(arm, handler.body)
            arms.append(arm)
        self.merge(frame, arms)
        alive, frame.alive = frame.alive, True
        self.block(node.finalbody, frame)
        frame.alive = alive and frame.alive

    _trystar = _try

    def _with(self, node: ast.With | ast.AsyncWith, frame: Frame) -> None:
        suppresses = False
        for item in node.items:
            value = self.value(item.context_expr, frame)
            suppresses |= "suppress(" in spell(item.context_expr)
            if item.optional_vars is not None:
                self.assign(item.optional_vars, value, frame)
        if not suppresses:
            self.block(node.body, frame)
            return
        body = frame.branch(ALWAYS)
        body.guarded += 1
        self._follow(body, node.body)
        body.guarded -= 1
        asked = body.imported
        skipped = frame.branch(negate(asked) if asked != ALWAYS else opaque("it is suppressed"))
        self.merge(frame, [body, skipped])

    _asyncwith = _with

    def _for(self, node: ast.For | ast.AsyncFor, frame: Frame) -> None:
        iterated = self.value(node.iter, frame)
        if len(iterated) == 1 and isinstance(iterated[0].atom, Items | Keywords):
            steps: Iterator[tuple[Value, Condition]] = _steps(iterated[0].atom)
        else:
            text = f"a loop over {spell(node.iter)}"
            steps = iter([(unknown(spell(node.target)), opaque(text))])
        for item, condition in steps:
            self._iteration(node, item, condition, frame)
        self.block(node.orelse, frame)

    _asyncfor = _for

    def _iteration(
        self, node: ast.For | ast.AsyncFor, item: Value, condition: Condition, frame: Frame
    ) -> None:
        arm = frame.branch(condition)
        arm.breaks = []
        self.assign(node.target, item, arm)
        self._follow(arm, node.body)
        taken = arm.here if arm.alive else NEVER
        if taken == ALWAYS:
            frame.names.update(arm.names)
        elif taken != NEVER:
            passed = _join_names(arm.names, taken, frame.names, negate(taken), frame.shared)
            frame.names.update(passed)
        self._left_early(arm, frame)

    def _left_early(self, loop: Frame, frame: Frame) -> None:
        """What is bound where a loop is left by ``break`` is bound after it."""
        left = opaque("the loop is left early")
        for names in loop.breaks:
            joined = _join_names(names, left, frame.names, negate(left), frame.shared)
            frame.names.update(joined)

    def _while(self, node: ast.While, frame: Frame) -> None:
        test = self.test(node.test, frame)
        again = test if test != ALWAYS else opaque("a loop")
        arm = frame.branch(again)
        arm.breaks = []
        self._follow(arm, node.body)
        done = frame.branch(negate(again))
        self._follow(done, node.orelse)
        self.merge(frame, [arm, done])
        self._left_early(arm, frame)

    def _expr(self, node: ast.Expr, frame: Frame) -> None:
        self.value(node.value, frame)

    def _return(self, node: ast.Return, frame: Frame) -> None:
        value = self.value(node.value, frame) if node.value else just(Constant(None))
        frame.exits.append((value, frame.when, frame.names))
        frame.alive = False

    def _raise(self, node: ast.Raise, frame: Frame) -> None:
        if node.exc is not None:
            self.value(node.exc, frame)
        frame.alive = False

    def _continue(self, _node: ast.Continue, frame: Frame) -> None:
        frame.alive = False

    def _break(self, _node: ast.Break, frame: Frame) -> None:
        frame.breaks.append(frame.names)
        frame.alive = False

    def _assert(self, node: ast.Assert, frame: Frame) -> None:
        frame.assume(self.test(node.test, frame))

    def _global(self, node: ast.Global, frame: Frame) -> None:
        frame.shared.update(node.names)

    def _assign(self, node: ast.Assign, frame: Frame) -> None:
        value = self.value(node.value, frame)
        for target in node.targets:
            self.assign(target, value, frame)

    def _annassign(self, node: ast.AnnAssign, frame: Frame) -> None:
        if node.value is not None:
            self.assign(node.target, self.value(node.value, frame), frame)

    def _augassign(self, node: ast.AugAssign, frame: Frame) -> None:
        value = self.value(ast.BinOp(node.target, node.op, node.value), frame)
        self.assign(node.target, value, frame)

    def _delete(self, node: ast.Delete, frame: Frame) -> None:
        for target in node.targets:
            if isinstance(target, ast.Name):
                frame.names.pop(target.id, None)
            elif isinstance(target, ast.Subscript):
                key = self.value(target.slice, frame)[0].atom
                changed = tuple(
                    alternative
                    if not isinstance(alternative.atom, Keywords)
                    else just(alternative.atom.drop(str(key.value)))[0]
                    for alternative in self.value(target.value, frame)
                    if isinstance(key, Constant)
                )
                if changed:
                    self.rebind(target.value, changed, frame)

    def assign(self, target: ast.expr, value: Value, frame: Frame) -> None:
        """Bind ``target`` to ``value``."""
        if isinstance(target, ast.Name):
            self.assign_name(target.id, value, frame)
        elif isinstance(target, ast.Attribute):
            self.assign_attribute(target, value, frame)
        elif isinstance(target, ast.Starred):
            self.assign(target.value, unknown(spell(target)), frame)
        elif isinstance(target, ast.Tuple | ast.List):
            parts = value[0].atom if len(value) == 1 else None
            matches = isinstance(parts, Items) and len(parts.values) == len(target.elts)
            for number, item in enumerate(target.elts):
                part = (
                    parts.values[number]
                    if matches and isinstance(parts, Items)
                    else unknown(spell(item))
                )
                self.assign(item, part, frame)
        elif isinstance(target, ast.Subscript):
            self._assign_key(target, value, frame)

    def _assign_key(self, target: ast.Subscript, value: Value, frame: Frame) -> None:
        base, key = self.value(target.value, frame), self.value(target.slice, frame)
        if any(isinstance(alternative.atom, Keywords) for alternative in base):
            text = spell(target.slice)
            changed = either(
                *(
                    under(just(put_key(a.atom, key, value, text)), a.when)
                    if isinstance(a.atom, Keywords)
                    else (a,)
                    for a in base
                )
            )
            self.rebind(target.value, changed, frame)

    def assign_attribute(self, target: ast.Attribute, value: Value, frame: Frame) -> None:
        """Bind ``self.x``, or record that a name of the upstream is replaced."""
        for alternative in self.value(target.value, frame):
            atom = alternative.atom
            if isinstance(atom, LocalObject):
                kept = distilled(value, frame.when)
                self.state.memory.stored[atom.key, target.attr].append(kept)
            elif isinstance(atom, Upstream) and not atom.returned:
                path = f"{atom.path}.{target.attr}"
                self.note(PATCH, Mention(path, frame.site(target), frame.when))
        frame.names[spell(target)] = value


def _steps(iterated: Items | Keywords) -> Iterator[tuple[Value, Condition]]:
    if isinstance(iterated, Items):
        for item in iterated.values:
            yield item, ALWAYS
        return
    for entry in iterated.entries:
        yield just(Items((just(Constant(entry.key)), entry.value))), entry.when
    if iterated.unresolved:
        text = ", ".join(iterated.unresolved)
        yield unknown(text), opaque(f"{text} has more")


def _handler_names(handler: ast.ExceptHandler) -> set[str]:
    if handler.type is None:
        return {""}
    types = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    return {spell(kind).rpartition(".")[2] for kind in types}


def _join_names(
    one: dict[str, Value],
    if_one: Condition,
    other: dict[str, Value],
    if_other: Condition,
    shared: set[str],
) -> dict[str, Value]:
    joined = {}
    for name in {**one, **other}:
        mine, theirs = one.get(name), other.get(name)
        if mine is not None and theirs is not None:
            joined[name] = join(mine, if_one, theirs, if_other)
        elif "." in name or name in shared:
            continue
        elif mine is not None:
            joined[name] = under(mine, if_one)
        elif theirs is not None:
            joined[name] = under(theirs, if_other)
    return joined
