"""The project's own law: who may import whom."""

from __future__ import annotations

import ast
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

SOURCES = Path(__file__).resolve().parents[2] / "src"


def module_name(path: Path) -> str:
    parts = path.relative_to(SOURCES).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {module_name(path): path for path in sorted(SOURCES.rglob("*.py"))}


def runtime_imports(name: str, path: Path) -> set[str]:
    """Modules of ours that ``path`` imports when it is itself imported."""
    found: set[str] = set()
    package = name if path.name == "__init__.py" else name.rpartition(".")[0]

    def visit(node: ast.AST) -> None:
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            return
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            return
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        if isinstance(node, ast.ImportFrom):
            base = package.split(".")[: len(package.split(".")) - node.level + 1]
            origin = ".".join([*(base if node.level else []), *filter(None, [node.module])])
            for alias in node.names:
                whole = f"{origin}.{alias.name}"
                found.add(whole if whole in MODULES else origin)
        for child in ast.iter_child_nodes(node):
            visit(child)

    visit(ast.parse(path.read_text(encoding="utf-8")))
    return found & MODULES.keys()


def cycle_in(graph: dict[str, set[str]]) -> list[str]:
    """Return one import circle, or nothing."""
    done: set[str] = set()

    def walk(name: str, path: list[str]) -> list[str]:
        if name in path:
            return [*path[path.index(name) :], name]
        if name in done:
            return []
        for target in sorted(graph[name]):
            if circle := walk(target, [*path, name]):
                return circle
        done.add(name)
        return []

    for name in sorted(graph):
        if circle := walk(name, []):
            return circle
    return []


def test_cycle_in_finds_a_circle() -> None:
    """The check itself can fail."""
    assert cycle_in({"a": {"b"}, "b": {"c"}, "c": {"b"}}) == ["b", "c", "b"]


def test_no_import_circles() -> None:
    """Data flows one way, so no module imports itself by way of others."""
    graph = {name: runtime_imports(name, path) for name, path in MODULES.items()}

    assert cycle_in(graph) == []


@pytest.mark.parametrize("name", [n for n in MODULES if n.startswith("flashinfer_comm_fusion")])
def test_fusion_module_never_names_the_harness(name: str) -> None:
    """Engines ship the fusion module; it must not drag the harness in, not even lazily."""
    tree = ast.parse(MODULES[name].read_text(encoding="utf-8"))
    named = {
        origin
        for node in ast.walk(tree)
        for origin in (
            [alias.name for alias in node.names]
            if isinstance(node, ast.Import)
            else [node.module or ""]
            if isinstance(node, ast.ImportFrom)
            else []
        )
    }

    assert not [origin for origin in named if origin.split(".")[0] == "driftgate"]


def loaded_by(statement: str) -> set[str]:
    """Top-level packages in ``sys.modules`` after ``statement`` ran in a fresh process."""
    code = f"{statement}\nimport sys\nprint(*sorted({{n.partition('.')[0] for n in sys.modules}}))"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    return set(done.stdout.split())


def test_command_line_starts_without_torch() -> None:
    """``driftgate --help`` must answer at once: torch takes over a second to import."""
    assert "torch" not in loaded_by("import driftgate.cli")


@pytest.mark.skipif(find_spec("torch") is None, reason="no torch here")
def test_fusion_module_loads_no_flashinfer() -> None:
    """An import of the fusion module never imports flashinfer, which may be missing or broken."""
    assert "flashinfer" not in loaded_by("import flashinfer_comm_fusion")
