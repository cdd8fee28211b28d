"""Binds what a consumer imports and defines."""

from __future__ import annotations

import ast
from abc import abstractmethod
from typing import TYPE_CHECKING

from driftgate.calls.conditions import Exists, all_of, asks
from driftgate.calls.invocations import Invocations
from driftgate.calls.ledger import IMPORT, SUBCLASS
from driftgate.calls.model import Mention
from driftgate.calls.spelling import spell
from driftgate.calls.state import ClassInfo, Frame, FunctionInfo
from driftgate.calls.values import Imported, Local, LocalClass, Upstream, just

if TYPE_CHECKING:
    from collections.abc import Sequence


class Definitions(Invocations):
    """Imports, functions and classes."""

    @abstractmethod
    def block(self, body: Sequence[ast.stmt], frame: Frame) -> None:
        """Follow ``body`` in ``frame``."""

    def _import(self, node: ast.Import, frame: Frame) -> None:
        for alias in node.names:
            self._imported(alias.name, node, frame)
            name = alias.asname or alias.name.partition(".")[0]
            path = alias.name if alias.asname else name
            frame.names[name] = just(self.state.outside(path))

    def _importfrom(self, node: ast.ImportFrom, frame: Frame) -> None:
        base = node.module or ""
        if node.level:
            parts = frame.source.package.split(".")
            parts = parts[: len(parts) - node.level + 1]
            base = ".".join([*parts, base] if base else parts)
        for alias in node.names:
            path = f"{base}.{alias.name}"
            if base in self.state.sources:
                own = self.state.global_value(base, alias.name, own=False)
                frame.names[alias.asname or alias.name] = (
                    own if own is not None else just(Imported(path))
                )
                continue
            self._imported(path, node, frame)
            frame.names[alias.asname or alias.name] = just(self.state.outside(path))

    def _imported(self, path: str, node: ast.stmt, frame: Frame) -> None:
        if not isinstance(self.state.outside(path), Upstream):
            return
        self.note(IMPORT, Mention(path, frame.site(node), frame.when, frame.guarded > 0))
        if frame.guarded:
            there = asks(Exists(path))
            frame.imported = all_of(frame.imported, there)
            frame.assume(there)

    def _functiondef(self, node: ast.FunctionDef | ast.AsyncFunctionDef, frame: Frame) -> None:
        decorators = []
        for decorator in node.decorator_list:
            self.value(decorator, frame)
            called = decorator.func if isinstance(decorator, ast.Call) else decorator
            decorators.append(spell(called).rpartition(".")[2])
        key = self._key(node.name, node, frame)
        self.state.functions[key] = FunctionInfo(
            key=key,
            node=node,
            module=frame.source.module,
            owner=frame.owner if not frame.stack else "",
            decorators=tuple(decorators),
            closure={**frame.closure, **frame.names} if frame.stack else {},
            when=frame.when,
        )
        frame.names[node.name] = just(Local(key))

    _asyncfunctiondef = _functiondef

    def _classdef(self, node: ast.ClassDef, frame: Frame) -> None:
        bases = tuple(self.value(base, frame) for base in node.bases)
        for base in bases:
            for alternative in base:
                atom = alternative.atom
                if isinstance(atom, Upstream):
                    self.note(SUBCLASS, Mention(atom.path, frame.site(node), frame.when))
        for decorator in node.decorator_list:
            self.value(decorator, frame)
        key = self._key(node.name, node, frame)
        body = Frame(
            source=frame.source,
            when=frame.when,
            owner=key,
            closure={**frame.closure, **frame.names},
            scope=f"{frame.scope}{node.name}.",
        )
        self.block(node.body, body)
        fields = tuple(
            statement.target.id
            for statement in node.body
            if isinstance(statement, ast.AnnAssign)
            and isinstance(statement.target, ast.Name)
            and "ClassVar" not in spell(statement.annotation)
        )
        self.state.classes[key] = ClassInfo(key, node, bases, body.names, fields)
        frame.names[node.name] = just(LocalClass(key))

    def _key(self, name: str, node: ast.stmt, frame: Frame) -> str:
        """Return ``module:Class.name``; a name that is defined twice also gets its line."""
        key = f"{frame.source.module}:{frame.scope}{name}"
        before = self.state.functions.get(key) or self.state.classes.get(key)
        return key if before is None or before.node is node else f"{key}@{node.lineno}"
