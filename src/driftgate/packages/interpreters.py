"""What the tops of modules ask of an interpreter: names of its library, and its grammar."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TYPE_CHECKING

from packaging.version import Version

from driftgate.surface.bindings import statements
from driftgate.surface.model import Guard

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from driftgate.packages.rows import PackagesTarget
    from driftgate.surface.sources import ParsedModule


@dataclass(frozen=True)
class Demand:
    """Something that not every Python has.

    Attributes:
        what: What is imported.
        site: Where, as ``file:line``.
        since: The first Python that has it; empty where every one did.
        until: The first that lacks it again; empty where none does.
    """

    what: str
    site: str
    since: str = ""
    until: str = ""

    def fails_on(self, python: str) -> bool:
        """Whether ``python``, as ``3.11``, lacks it."""
        here = Version(python)
        early = bool(self.since) and here < Version(self.since)
        return early or (bool(self.until) and here >= Version(self.until))

    def __str__(self) -> str:
        when = f"there from Python {self.since}" if self.since else f"gone in Python {self.until}"
        return f"imports {self.what}, {when}"


def demands(modules: Iterable[ParsedModule], target: PackagesTarget) -> Iterator[Demand]:
    """Yield what importing ``modules`` takes from the standard library, as far as rows know it."""
    for module in modules:
        for node, guard in statements(module.tree.body):
            if guard is Guard.NONE:
                for name in _imported(node):
                    since = _row(target.standard_since, name)
                    until = _row(target.standard_until, name)
                    if since or until:
                        yield Demand(name, f"{module.path}:{node.lineno}", since, until)


def _imported(node: ast.stmt) -> Iterator[str]:
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    elif isinstance(node, ast.ImportFrom) and not node.level and node.module:
        yield from (f"{node.module}.{alias.name}" for alias in node.names)


def _row(table: Mapping[str, str], name: str) -> str:
    """Return the row of ``name``, or of the module that it is in."""
    parts = name.split(".")
    for length in range(len(parts), 0, -1):
        if found := table.get(".".join(parts[:length])):
            return found
    return ""


def misread(text: str, python: str) -> str:
    """Return why ``python``, as ``3.11``, cannot read a module; empty if it can.

    Only grammar that this interpreter knows and that one does not is told.
    """
    major, minor = map(int, python.split("."))
    try:
        ast.parse(text)
    except (SyntaxError, ValueError):
        return ""
    try:
        ast.parse(text, feature_version=(major, minor))
    except SyntaxError as error:
        return f"line {error.lineno}: {error.msg}"
    return ""
