"""What is known while a consumer's source is followed."""

from __future__ import annotations

import ast
from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from driftgate.calls.conditions import ALWAYS, Condition, all_of
from driftgate.calls.ledger import Ledger
from driftgate.calls.model import Site
from driftgate.calls.values import (
    Imported,
    Upstream,
    Value,
    sometimes,
)

if TYPE_CHECKING:
    from driftgate.calls.model import Source

FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


@dataclass
class FunctionInfo:
    """A function of the consumer.

    Attributes:
        key: ``module:Class.name``.
        node: Its definition.
        module: Where it is defined.
        owner: Key of its class, or empty.
        decorators: Names of its decorators, the last part of each.
        closure: Names of the function that it is nested in.
        when: The condition for it to be defined.
    """

    key: str
    node: FunctionNode
    module: str
    owner: str = ""
    decorators: tuple[str, ...] = ()
    closure: dict[str, Value] = field(default_factory=dict)
    when: Condition = ALWAYS

    @property
    def public(self) -> bool:
        """Whether code outside the sources may call it."""
        return not any(part.startswith("_") for part in self.key.rpartition(":")[2].split("."))


@dataclass
class ClassInfo:
    """A class of the consumer.

    Attributes:
        key: ``module:Class``.
        node: Its definition.
        bases: Its bases, in order.
        members: Functions and class attributes by name.
        fields: Annotated names without ``ClassVar``: a dataclass takes them in this order.
    """

    key: str
    node: ast.ClassDef
    bases: tuple[Value, ...]
    members: dict[str, Value]
    fields: tuple[str, ...]


@dataclass
class Frame:
    """One function or module being followed.

    Attributes:
        source: The file.
        names: Local names; ``self.x`` is kept here too while nobody else can have changed it.
        when: The condition for being here, the caller's included.
        here: The part of ``when`` that the branch being followed adds.
        owner: Key of the class whose body or method this is, or empty.
        this: What ``self`` is.
        closure: Names of the enclosing function.
        stack: Keys of the functions being followed, outermost first.
        scope: What the qualified names of definitions here start with.
        shared: Names declared ``global``.
        exits: Where the function returns: the value, the condition, and the names then.
        breaks: The names at each ``break`` of the loop being followed.
        guarded: How many enclosing ``try`` statements survive a failed import.
        imported: The upstream names whose import this branch has got past.
        exited: Whether some paths through this branch left early.
        alive: Whether the end of what was followed so far is reached.
    """

    source: Source
    names: dict[str, Value] = field(default_factory=dict)
    when: Condition = ALWAYS
    here: Condition = ALWAYS
    owner: str = ""
    this: Value = ()
    closure: dict[str, Value] = field(default_factory=dict)
    stack: tuple[str, ...] = ()
    scope: str = ""
    shared: set[str] = field(default_factory=set)
    exits: list[tuple[Value, Condition, dict[str, Value]]] = field(default_factory=list)
    breaks: list[dict[str, Value]] = field(default_factory=list)
    guarded: int = 0
    imported: Condition = ALWAYS
    exited: bool = False
    alive: bool = True

    def assume(self, condition: Condition) -> None:
        """Take ``condition`` to hold from here on in this branch."""
        self.when = all_of(self.when, condition)
        self.here = all_of(self.here, condition)

    def branch(self, condition: Condition) -> Frame:
        """Return the frame in which ``condition`` holds; exits go to the same list."""
        return Frame(
            source=self.source,
            names=dict(self.names),
            when=all_of(self.when, condition),
            here=condition,
            owner=self.owner,
            this=self.this,
            closure=self.closure,
            stack=self.stack,
            scope=self.scope,
            shared=self.shared,
            exits=self.exits,
            breaks=self.breaks,
            guarded=self.guarded,
        )

    def forget(self) -> None:
        """Drop what is known of ``self.x`` and of globals: another function may change them."""
        for name in [name for name in self.names if "." in name or name in self.shared]:
            del self.names[name]

    def site(self, node: ast.expr | ast.stmt) -> Site:
        """Return where ``node`` is."""
        return Site(self.source.path, node.lineno, node.col_offset)


@dataclass
class Memory:
    """Values that outlive one function: what one pass over all sources learns for the next.

    Attributes:
        globals: Module-level names by module, as the module's own code leaves them.
        rebound: What functions assign to globals.
        stored: What methods assign to ``self.x``, by class key and attribute.
    """

    globals: dict[str, dict[str, Value]] = field(default_factory=dict)
    rebound: defaultdict[tuple[str, str], list[Value]] = field(
        default_factory=lambda: defaultdict(list)
    )
    stored: defaultdict[tuple[str, str], list[Value]] = field(
        default_factory=lambda: defaultdict(list)
    )


@dataclass
class State:
    """One pass over all sources.

    Attributes:
        sources: By module name.
        upstream: Dotted name of the module whose calls are looked for, with all below it.
        distinctive: Names that mean an upstream symbol whatever they are called on, with the
            symbol each stands for.
        learnt: What the pass before learnt; None in the first pass.
        memory: What this pass learns.
        ledger: What this pass sees.
        functions: The consumer's functions, by key; those of the pass before included.
        classes: The consumer's classes, likewise.
        followed: Keys of the functions that were followed, for a caller or without one.
        entered: Keys of the functions that were followed without a caller.
    """

    sources: dict[str, Source]
    upstream: str
    distinctive: dict[str, str]
    learnt: Memory | None = None
    memory: Memory = field(default_factory=Memory)
    ledger: Ledger = field(default_factory=Ledger)
    functions: dict[str, FunctionInfo] = field(default_factory=dict)
    classes: dict[str, ClassInfo] = field(default_factory=dict)
    followed: set[str] = field(default_factory=set)
    entered: set[str] = field(default_factory=set)

    def is_watched(self, path: str) -> bool:
        """Whether the dotted ``path`` lies in the watched module."""
        return path == self.upstream or path.startswith(self.upstream + ".")

    def outside(self, path: str) -> Upstream | Imported:
        """Return the value of something imported from outside the sources."""
        package = self.upstream.partition(".")[0]
        return Upstream(path) if path.partition(".")[0] == package else Imported(path)

    def global_value(self, module: str, name: str, *, own: bool) -> Value | None:
        """Return what the module-level ``name`` stands for, or None where it is not bound.

        Args:
            module: The module's dotted name.
            name: The name.
            own: Whether the module's own top level asks; functions have not run then.
        """
        names = self.memory.globals.get(module)
        if (names is None or name not in names) and self.learnt is not None:
            names = self.learnt.globals.get(module)
        first = names.get(name) if names else None
        if own:
            return first
        rebound = (self.learnt or self.memory).rebound.get((module, name), [])
        values = ([] if first is None else [first]) + rebound
        return sometimes(name, values) if values else None

    def stored_value(self, owner: str, attribute: str) -> Value | None:
        """Return what ``self.attribute`` can be, over all methods of the class and its bases."""
        values = (self.learnt or self.memory).stored.get((owner, attribute))
        if values:
            return sometimes(f"self.{attribute}", values)
        for base in self.local_bases(owner):
            inherited = self.stored_value(base, attribute)
            if inherited is not None:
                return inherited
        return None

    def local_bases(self, owner: str) -> list[str]:
        """Return the keys of the consumer's own classes that ``owner`` subclasses."""
        info = self.classes.get(owner)
        if info is None:
            return []
        atoms = [alternative.atom for base in info.bases for alternative in base]
        return [atom.key for atom in atoms if hasattr(atom, "key") and atom.key in self.classes]

    def member(self, owner: str, name: str) -> Value | None:
        """Return the member ``name`` of the class ``owner`` or of its local bases."""
        info = self.classes.get(owner)
        if info is None:
            return None
        if name in info.members:
            return info.members[name]
        for base in self.local_bases(owner):
            inherited = self.member(base, name)
            if inherited is not None:
                return inherited
        return None
