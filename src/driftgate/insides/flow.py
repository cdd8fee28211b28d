"""Read statements: which of them run, and what they bind, on one branch of an entry."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from driftgate.insides.conditions import UNKNOWN, conjuncts, expanded
from driftgate.insides.frames import Condition, Frame, FunctionNode, bound_once, defaults
from driftgate.insides.invocations import SELF, Invocations, least
from driftgate.insides.model import Refusal
from driftgate.insides.values import NOTHING, SOMETHING, Value, joined

if TYPE_CHECKING:
    from collections.abc import Mapping

    from driftgate.insides.outcome import Outcome
    from driftgate.surface.resolve import Found


class Flow(Invocations):
    """Runs through statements in order; where a condition is not known, through both sides."""

    def entry(self, found: Found, node: FunctionNode, params: dict[str, Value]) -> Outcome:
        """Read ``node``, the function that ``found`` is, or the method of the class it is."""
        owner = found if isinstance(found.node, ast.ClassDef) else None
        self.optional = {name: value for name, value in defaults(node).items() if name in params}
        env = {"self": SELF, **params} if owner else dict(params)
        frame = Frame(found.module, env, found.name, owner, is_entry=True)
        # What decides about the result is used, too.
        self.outcome.forwarded |= self.body(node, frame).params
        self.outcome.returns = bool(frame.returned)
        return self.outcome

    def body(self, node: FunctionNode, frame: Frame) -> Value:
        """Read the body of ``node`` in ``frame`` and return what it returns."""
        self.stack.append(node)
        frame.once = bound_once(node)
        if not self._block(node.body, frame):
            self._result(NOTHING, None, frame)
        self.stack.pop()
        return frame.result

    def _block(self, body: list[ast.stmt], frame: Frame) -> bool:
        """Read statements; whether the last one read surely leaves the function or the loop."""
        known = len(frame.after)
        leaves = False
        for node in body:
            leaves = self._statement(node, frame)
            if leaves:
                break
            if not isinstance(node, ast.If) and _may_leave([node]):
                frame.after.append((UNKNOWN,))
        del frame.after[known:]
        return leaves

    def _statement(self, node: ast.stmt, frame: Frame) -> bool:
        reader = getattr(self, f"_{type(node).__name__.lower()}_", None)
        if reader is not None:
            return bool(reader(node, frame))
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.expr):
                self.value(child, frame)
        return isinstance(node, (ast.Break, ast.Continue))

    def _return_(self, node: ast.Return, frame: Frame) -> bool:
        self._result(self.value(node.value, frame).depending(frame.control), node.value, frame)
        return True

    def _result(self, value: Value, node: ast.expr | None, frame: Frame) -> None:
        frame.returned.append(value)
        if frame.is_entry:
            self.use(value.params | frame.control, frame)
        if len(self.stack) == 1 and frame.owner is None:
            trees = (
                [node] if isinstance(node, ast.Tuple) else [_parsed(item) for item in value.texts]
            )
            for shape in map(_shape, trees):
                least(self.outcome.results, shape, frame.needed)

    def _raise_(self, node: ast.Raise, frame: Frame) -> bool:
        self._refuse(ast.unparse(_exception(node.exc)), frame)
        return True

    def _assert_(self, node: ast.Assert, frame: Frame) -> bool:
        test = self.value(node.test, frame)
        if test.truth is not True and not _for_the_type_checker(node.test):
            text = f"not ({ast.unparse(node.test)})"
            frame.conditions.append(self._condition(text, node.test, test, frame, holds=False))
            self._refuse("AssertionError", frame)
            frame.conditions.pop()
        return test.truth is False

    def _refuse(self, exception: str, frame: Frame) -> None:
        if not frame.where or not exception:
            return
        test = frame.conditions[-1].text if frame.conditions else ""
        refusal = Refusal(
            frame.where,
            test,
            exception,
            needs=tuple(sorted(frame.control)),
            options=tuple(sorted(frame.needed)),
            hinges=tuple(sorted(frozenset().union(*(item.hinges for item in frame.conditions)))),
            path=frame.path,
        )
        if refusal not in self.outcome.refusals:
            self.outcome.refusals.append(refusal)

    def _if_(self, node: ast.If, frame: Frame) -> bool:
        test = self.value(node.test, frame)
        if test.truth is not None:
            chosen = node.body if test.truth else node.orelse
            leaves = self._block(chosen, frame)
            if _may_leave(chosen):
                frame.after.append((UNKNOWN,))
            return leaves
        text = ast.unparse(node.test)
        before = frame.env
        left: list[dict[str, Value]] = []
        stays: list[Condition] = []
        for holds, spelling, body in (
            (True, text, node.body),
            (False, f"not ({text})", node.orelse),
        ):
            condition = self._condition(spelling, node.test, test, frame, holds=holds)
            if not _may_leave(body):
                stays.append(condition)
            frame.env = {**before, **self.narrowed(node.test, frame, holds=holds)}
            frame.conditions.append(condition)
            if not self._block(body, frame):
                left.append(frame.env)
            frame.conditions.pop()
            frame.env = before
        frame.env = _merged(left) if left else before
        if len(stays) < len((node.body, node.orelse)):
            # One side surely goes, and the other surely does not: that other one is the rest.
            frame.after.append(stays[0].meaning if len(left) == len(stays) == 1 else (UNKNOWN,))
        return not left

    def _condition(
        self, text: str, test: ast.expr, value: Value, frame: Frame, *, holds: bool
    ) -> Condition:
        options = {
            name
            for name, default in self.optional.items()
            if name in value.params and self._at(test, {name: default}, frame).truth is (not holds)
        }
        hinges = [
            self.value(part, frame).params
            for part in _parts(test, holds=holds)
            if self._at(part, self.optional, frame).truth is not holds
        ]
        return Condition(
            text,
            value.params,
            frozenset(options),
            conjuncts(expanded(test, frame.definitions), holds=holds),
            # A limit is met by what is measured, whoever set it.
            frozenset().union(
                *(params for params in hinges if len(params) == 1 or not _limits(test))
            ),
        )

    def _at(self, test: ast.expr, given: Mapping[str, Value], frame: Frame) -> Value:
        """Return what ``test`` is where the parameters in ``given`` are what it says."""
        kept = frame.env
        for name, default in given.items():
            frame.env = {key: item.where(name, default) for key, item in frame.env.items()}
        found = self.value(test, frame)
        frame.env = kept
        return found

    def _for_(self, node: ast.For, frame: Frame) -> bool:
        items = self.value(node.iter, frame)
        item = Value(frozenset({SOMETHING}), items.params)
        if isinstance(node.iter, (ast.List, ast.Tuple)) and isinstance(node.target, ast.Name):
            item = joined(*(self.value(element, frame) for element in node.iter.elts))
        self.assign(node.target, None, item, frame)
        return self._loop(node, frame)

    def _while_(self, node: ast.While, frame: Frame) -> bool:
        if self.value(node.test, frame).truth is False:
            return False
        return self._loop(node, frame)

    def _loop(self, node: ast.For | ast.While, frame: Frame) -> bool:
        before = dict(frame.env)
        # That it runs at all is a condition, too.
        frame.after.append((UNKNOWN,))
        self._block(node.body, frame)
        frame.after.pop()
        frame.env = _merged([before, frame.env])
        self._block(node.orelse, frame)
        return False

    def _with_(self, node: ast.With, frame: Frame) -> bool:
        for item in node.items:
            value = self.value(item.context_expr, frame)
            if item.optional_vars is not None:
                self.assign(item.optional_vars, None, value, frame)
        return self._block(node.body, frame)

    def _try_(self, node: ast.Try, frame: Frame) -> bool:
        before = dict(frame.env)
        leaves = self._block(node.body, frame)
        left = [] if leaves else [frame.env]
        # What a handler raises is a failure passed on, not a decision to refuse.
        where, frame.where = frame.where, ""
        for handler in node.handlers:
            frame.env = _merged([before, *left])
            if handler.name:
                frame.env[handler.name] = Value(frozenset({SOMETHING}))
            if not self._block(handler.body, frame):
                left.append(frame.env)
        frame.where = where
        frame.env = _merged(left) if left else before
        self._block(node.orelse if not leaves else [], frame)
        return self._block(node.finalbody, frame) or not left

    def _assign_(self, node: ast.Assign, frame: Frame) -> bool:
        value = self.value(node.value, frame)
        for target in node.targets:
            self.assign(target, node.value, value, frame)
            if isinstance(target, ast.Name):
                frame.define(target.id, node.value)
        return False

    def _annassign_(self, node: ast.AnnAssign, frame: Frame) -> bool:
        if node.value is not None:
            self.assign(node.target, node.value, self.value(node.value, frame), frame)
        return False

    def _augassign_(self, node: ast.AugAssign, frame: Frame) -> bool:
        added = self.value(node.value, frame)
        if isinstance(node.target, ast.Name):
            before = self.value(node.target, frame)
            params = before.params | added.params
            frame.bind(node.target.id, Value(frozenset({SOMETHING}), params))
        return False

    def _functiondef_(self, node: ast.FunctionDef, frame: Frame) -> bool:
        frame.functions[node.name] = node
        return False

    def _asyncfunctiondef_(self, node: ast.AsyncFunctionDef, frame: Frame) -> bool:
        frame.functions[node.name] = node
        return False

    def _classdef_(self, node: ast.ClassDef, frame: Frame) -> bool:
        frame.bind(node.name, Value(frozenset({SOMETHING})))
        return False

    def _import_(self, node: ast.Import, frame: Frame) -> bool:
        for alias in node.names:
            name = alias.asname or alias.name.partition(".")[0]
            frame.imports[name] = (alias.name if alias.asname else name, "")
            frame.env.pop(name, None)
        return False

    def _importfrom_(self, node: ast.ImportFrom, frame: Frame) -> bool:
        source = frame.module.absolute(node.module, node.level)
        for alias in node.names:
            name = alias.asname or alias.name
            frame.imports[name] = (source, alias.name)
            frame.env.pop(name, None)
        return False


def _parts(test: ast.expr, *, holds: bool) -> list[ast.expr]:
    """Return what must all hold where ``test`` does, or must all fail where it does not."""
    joins = ast.And if holds else ast.Or
    return test.values if isinstance(test, ast.BoolOp) and isinstance(test.op, joins) else [test]


def _limits(test: ast.expr) -> bool:
    return any(isinstance(item, (ast.Lt, ast.LtE, ast.Gt, ast.GtE)) for item in ast.walk(test))


def _may_leave(body: list[ast.stmt]) -> bool:
    """Whether ``body`` may end the function or the loop around it without raising."""
    leaving = (ast.Return, ast.Break, ast.Continue)
    return any(isinstance(child, leaving) for node in body for child in ast.walk(node))


def _parsed(text: str) -> ast.expr:
    """Return the expression that ``text`` spells; any, where it is too long to be spelled."""
    return ast.parse(text.replace("…", "_"), mode="eval").body


def _shape(node: ast.expr) -> str:
    """Return what a caller can do with a result: nothing, take it, or unpack so many values."""
    if isinstance(node, ast.Tuple):
        starred = any(isinstance(item, ast.Starred) for item in node.elts)
        return "some values" if starred else f"{len(node.elts)} values"
    return "nothing" if isinstance(node, ast.Constant) and node.value is None else "a value"


def _for_the_type_checker(test: ast.expr) -> bool:
    """Whether an assertion says only that names are not None: seldom a refusal."""
    parts = test.values if isinstance(test, ast.BoolOp) else [test]
    return all(
        isinstance(part, ast.Compare)
        and isinstance(part.left, ast.Name)
        and [type(operator) for operator in part.ops] == [ast.IsNot]
        for part in parts
    )


def _exception(node: ast.expr | None) -> ast.expr:
    """Return what is raised, without its arguments; a bare ``raise`` has no name."""
    if node is None:
        return ast.Name("")
    return node.func if isinstance(node, ast.Call) else node


def _merged(envs: list[dict[str, Value]]) -> dict[str, Value]:
    names = dict.fromkeys(name for env in envs for name in env)
    return {name: joined(*(env[name] for env in envs if name in env)) for name in names}
