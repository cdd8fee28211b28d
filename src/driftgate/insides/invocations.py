"""Read calls: into the package, or to the low-level symbols that are looked for."""

from __future__ import annotations

import ast
import builtins
from typing import TYPE_CHECKING

from driftgate.insides.expressions import Expressions, is_self
from driftgate.insides.frames import Arguments, Frame, FunctionNode, bind_arguments
from driftgate.insides.values import NOTHING, Value, literal, shown, spelled

if TYPE_CHECKING:
    from driftgate.surface.resolve import Found

SELF = spelled("self")
_BUILTINS = frozenset(dir(builtins))
# No chain of helpers in a package is longer; it bounds what a reading can cost.
_MAX_DEPTH = 12


class Invocations(Expressions):
    """Follows calls as far as the package goes."""

    def call(self, node: ast.Call, frame: Frame) -> Value:
        """Follow a call into the package; of other calls, only the spelling is known."""
        given = self._arguments(node, frame)
        if isinstance(node.func, ast.Name):
            if node.func.id in frame.functions:
                return self._inner(frame.functions[node.func.id], given, frame)
            answer = self._known(node, given, frame)
            if answer is not None:
                return answer
        method = self._method(node.func, frame)
        if method is not None:
            owner, function, fields, bound = method
            return self._enter(owner, function, given.after(*bound), fields, frame)
        found = self.names.definition(node.func, frame)
        callee = found.id.replace(":", ".") if found else self.names.dotted(node.func, frame)
        self._note(callee, found, given, frame)
        if found is not None:
            return self._package_call(found, given, frame)
        base = self.value(node.func, frame) if isinstance(node.func, ast.Attribute) else NOTHING
        name = callee.rpartition(".")[2] or ast.unparse(node.func)
        return spelled(f"{name}({_listed(given)})", base, *given.all)

    def _arguments(self, node: ast.Call, frame: Frame) -> Arguments:
        starred = [item.value for item in node.args if isinstance(item, ast.Starred)]
        spread = [item.value for item in node.keywords if item.arg is None]
        return Arguments(
            [self.value(item, frame) for item in node.args if not isinstance(item, ast.Starred)],
            {item.arg: self.value(item.value, frame) for item in node.keywords if item.arg},
            [self.value(item, frame) for item in (*starred, *spread)],
        )

    def _known(self, node: ast.Call, given: Arguments, frame: Frame) -> Value | None:
        """Answer the few callables whose result matters to what is followed."""
        dotted = self.names.dotted(node.func, frame)
        if dotted == "typing.cast" and len(given.positional) > 1:
            return given.positional[1]
        if dotted == "isinstance" and len(node.args) > 1:
            answer = self._isinstance(given.positional[0], node.args[1], frame)
            if answer is not None:
                return literal(answer).depending(given.positional[0].params)
        return None

    def _isinstance(self, value: Value, node: ast.expr, frame: Frame) -> bool | None:
        wanted = node.elts if isinstance(node, ast.Tuple) else [node]
        found = [self.names.definition(item, frame) for item in wanted]
        answers = {
            any(
                item is not None and self.names.is_instance(term.instance, item.id)
                for item in found
            )
            if term.instance and all(found)
            else None
            for term in value.terms
        }
        return answers.pop() if len(answers) == 1 else None

    def _method(
        self, func: ast.expr, frame: Frame
    ) -> tuple[Found, FunctionNode, dict[str, Value], list[Value]] | None:
        """Return the method that ``func`` is, the fields of its object, and ``self``."""
        if not isinstance(func, ast.Attribute):
            return None
        base = func.value
        fields: dict[str, Value] = {}
        on_class = False
        if isinstance(base, ast.Call) and ast.unparse(base.func) == "super":
            fields = frame.fields
            owner = next(iter([*self.names.lineage(frame.owner)][1:]), None)
        elif is_self(base, frame):
            fields = frame.fields
            owner = frame.owner
        elif (named := self.names.definition(base, frame)) and isinstance(named.node, ast.ClassDef):
            owner, on_class = named, True
        else:
            owner = self._class_of(base, frame)
        method = self.names.method(owner, func.attr)
        if method is None:
            return None
        return (*method, fields, _bound(method[1], on_class=on_class))

    def _class_of(self, node: ast.expr, frame: Frame) -> Found | None:
        """Return the class that ``node`` is an instance of, if it can only be one."""
        if not isinstance(node, (ast.Name, ast.Attribute)):
            return None
        instances = {term.instance for term in self.value(node, frame).terms}
        return self.names.by_id(instances.pop()) if len(instances) == 1 else None

    def _inner(self, node: FunctionNode, given: Arguments, frame: Frame) -> Value:
        """Call a function defined in the frame: it sees the frame's names, and counts as it."""
        if node in self.stack:
            return spelled("…", *given.all)
        inner = Frame(
            frame.module,
            {**frame.env, **bind_arguments(node, given)},
            frame.where,
            frame.owner,
            frame.fields,
            dict(frame.imports),
            dict(frame.functions),
            frame.is_entry,
        )
        inner.conditions = list(frame.conditions)
        inner.options = frame.options
        inner.after = list(frame.after)
        return self.body(node, inner)

    def _note(self, callee: str, found: Found | None, given: Arguments, frame: Frame) -> None:
        row = self.target.reached(callee)
        if row is not None and self.follow:
            least(self.outcome.reaches, row.name, frame.needed)
            if found is not None:
                self.outcome.low_level[row.name] = found
            over = self._bound_arguments(found, given).get(row.peers) or given.value(
                row.peers, row.position
            )
            if row.peers and over is not None:
                for text in over.texts:
                    least(self.outcome.peers, text, frame.needed)
        if frame.is_entry and callee not in _BUILTINS:
            used = frame.control.union(*(value.params for value in given.all))
            self.outcome.forwarded |= used
            self.use(used, frame)
            if found is not None:
                self.outcome.called[callee] = found
                for name, value in self._bound_arguments(found, given).items():
                    key = f"{found.name}({name})"
                    self.outcome.hands.setdefault(key, set()).update(value.texts)

    def use(self, params: frozenset[str], frame: Frame) -> None:
        """Note that ``params`` count where the present statement of the entry runs."""
        for name in params:
            self.outcome.uses.setdefault(name, set()).add(frame.path)

    def _bound_arguments(self, found: Found | None, given: Arguments) -> dict[str, Value]:
        """Return what each parameter of a function or class of the package is in a call."""
        if found is None:
            return {}
        if isinstance(found.node, FunctionNode):
            return bind_arguments(found.node, given)
        method = self.names.method(found, "__init__")
        bound = bind_arguments(method[1], given.after(SELF)) if method else {}
        return {name: value for name, value in bound.items() if value is not SELF}

    def _package_call(self, found: Found, given: Arguments, frame: Frame) -> Value:
        node = found.node
        if isinstance(node, FunctionNode):
            if not self.follow:
                return spelled(f"{found.name}({_listed(given)})", *given.all)
            return self._enter(found, node, given, {}, frame)
        text = f"{found.name}({_listed(given)})"
        if not isinstance(node, ast.ClassDef):
            return spelled(text, *given.all)
        instance = spelled(text, *given.all, instance=found.id)
        method = self.names.method(found, "__init__")
        if method and self.follow:
            self._enter(method[0], method[1], given.after(instance), {}, frame)
        return instance

    def _enter(
        self,
        owner: Found,
        node: FunctionNode,
        given: Arguments,
        fields: dict[str, Value],
        caller: Frame,
    ) -> Value:
        """Read ``node`` with ``given`` arguments, unless it is being read already.

        A private helper refuses for who called it.
        """
        if not self.follow or node in self.stack or len(self.stack) > _MAX_DEPTH:
            return spelled("…", *given.all)
        helps = node.name.startswith("_") and not node.name.endswith("__") and caller.where != ""
        counts = owner.name in self.watched or node.name == "__init__"
        frame = Frame(
            owner.module,
            bind_arguments(node, given),
            caller.where if helps else owner.name if counts else "",
            owner if isinstance(owner.node, ast.ClassDef) else None,
            fields,
            conditions=list(caller.conditions) if helps else [],
            options=caller.needed,
            after=list(caller.after) if helps else [],
        )
        return self.body(node, frame)


def least(table: dict[str, frozenset[str]], name: str, needed: frozenset[str]) -> None:
    """Note ``name`` as found; of several ways to it, what all of them need is needed."""
    table[name] = table.get(name, needed) & needed


def _bound(node: FunctionNode, *, on_class: bool = False) -> list[Value]:
    decorators = {ast.unparse(item) for item in node.decorator_list}
    if "staticmethod" in decorators or (on_class and "classmethod" not in decorators):
        return []
    return [SELF]


def _listed(given: Arguments) -> str:
    positional = [shown(value) for value in given.positional]
    keyword = [f"{name}={shown(value)}" for name, value in given.keyword.items()]
    return ", ".join([*positional, *keyword, *("…" for _ in given.rest)])
