"""How a release uses a binding, and whether one release of the binding is like that."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from driftgate.packages.errors import CannotTellError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_CHILD = Path(__file__).with_name("bindings_child.py")
_PATIENCE_SECONDS = 60.0
# Whoever catches one of these expects that something may be missing.
_EXPECTING = {"AttributeError", "Exception", "BaseException", "ImportError", "IndexError"}


@dataclass(frozen=True)
class Use:
    """Something that a release takes from a binding.

    Attributes:
        name: What it looks up in the module.
        field: A field of that structure which is read by place; empty where the name is all.
        site: Where, as ``file:line``.
    """

    name: str
    field: str
    site: str


def uses(files: Mapping[str, str], module: str) -> Iterator[Use]:
    """Yield what Python files take from ``module`` and would fail without."""
    for path, text in files.items():
        if not path.endswith(".py") or module not in text:
            continue
        try:
            tree = ast.parse(text)
        except (SyntaxError, ValueError):
            continue
        yield from _Uses(path, module).of(tree)


class _Uses(ast.NodeVisitor):
    def __init__(self, path: str, module: str) -> None:
        self._path = path
        self._module = module
        self._aliases: set[str] = set()
        self._structures: dict[str, str] = {}
        self._found: list[Use] = []

    def of(self, tree: ast.Module) -> list[Use]:
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                self._aliases |= {
                    each.asname or each.name for each in node.names if each.name == self._module
                }
        self.visit(tree)
        return self._found

    def visit_Try(self, node: ast.Try) -> None:
        """Leave out what stands where something is expected to be missing."""
        caught = {ast.unparse(each.type) if each.type else "Exception" for each in node.handlers}
        words = {word.strip("() ") for text in caught for word in text.split(",")}
        for statement in () if words & _EXPECTING else node.body:
            self.visit(statement)
        for other in (*node.handlers, *node.orelse, *node.finalbody):
            self.visit(other)

    def visit_Assign(self, node: ast.Assign) -> None:
        """Remember which variable holds which structure."""
        made = node.value.func if isinstance(node.value, ast.Call) else None
        if isinstance(made, ast.Attribute) and self._is_module(made.value):
            for target in node.targets:
                self._structures[ast.unparse(target)] = made.attr
        self.generic_visit(node)

    def visit_Attribute(self, node: ast.Attribute) -> None:
        """Keep a name that is looked up in the module."""
        if self._is_module(node.value):
            self._found.append(Use(node.attr, "", self._site(node)))
        self.generic_visit(node)

    def visit_Subscript(self, node: ast.Subscript) -> None:
        """Keep a structure's field that is read by place: ``info.uuid[0]``."""
        field, place = node.value, node.slice
        if (
            isinstance(field, ast.Attribute)
            and isinstance(place, ast.Constant)
            and isinstance(place.value, int)
            and (structure := self._structures.get(ast.unparse(field.value)))
        ):
            self._found.append(Use(structure, field.attr, self._site(node)))
        self.generic_visit(node)

    def _is_module(self, node: ast.expr) -> bool:
        return isinstance(node, ast.Name) and node.id in self._aliases

    def _site(self, node: ast.expr) -> str:
        return f"{self._path}:{node.lineno}"


def unlike(source: str, wanted: list[Use]) -> list[tuple[Use, str]]:
    """Return the uses that a binding does not serve, each with what is there instead.

    Args:
        source: The binding's module, which is run in a process of its own.
        wanted: The uses.

    Raises:
        CannotTellError: The module cannot be run here.
    """
    with tempfile.TemporaryDirectory(prefix="driftgate-") as folder:
        module = Path(folder) / "binding.py"
        module.write_text(source, encoding="utf-8")
        try:
            done = subprocess.run(  # noqa: S603 - our own script
                [sys.executable, "-I", "-S", str(_CHILD), str(module)],
                input=json.dumps([[use.name, use.field] for use in wanted]),
                capture_output=True,
                text=True,
                timeout=_PATIENCE_SECONDS,
                check=True,
            )
            answers = json.loads(done.stdout.splitlines()[-1])
        except (subprocess.SubprocessError, ValueError, IndexError) as error:
            raise CannotTellError(f"the binding does not run here ({error!r:.80})") from error
    return [(use, answer) for use, answer in zip(wanted, answers, strict=True) if answer]
