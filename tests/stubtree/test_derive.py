from __future__ import annotations

import json
import os
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from driftgate.stubtree.derive import MARKER, derive, write_stub
from driftgate.surface.diff import diff
from driftgate.surface.reader import read_surface
from driftgate.surface.sources import SourceTree
from driftgate.surface.store import load_surface, recorded_releases
from driftgate.surface.target import load_target
from surface.sources import Texts, surface_of, watch

if TYPE_CHECKING:
    from driftgate.surface.model import Surface

MATRIX = Path(__file__).parents[2] / "matrix"
UPSTREAM = {
    "pkg/__init__.py": """
        import contextlib
        import sys
        from .home import f, E as Kind
        with contextlib.suppress(ImportError):
            from .home import tried
        if sys.version_info:
            from .home import sometimes
        def __getattr__(name):
            from .home import late
            from .home import later
    """,
    "pkg/home.py": """
        from __future__ import annotations
        import enum
        import functools
        from typing import Optional
        from .api import traced
        from .types import Sizes
        class Base: ...
        class C(Base):
            LIMIT = 4 * 1024
            label: str
            def __init__(self, size: Sizes, kind: E = None): ...
            @property
            def size(self) -> int: ...
            @staticmethod
            @functools.cache
            def bytes_for(n: int, kind=1) -> int: ...
        class E(enum.Enum):
            A = 0
            B = 99
        @traced(trace=1)
        def f(a, /, b: Optional[int] = None, *args, c: str = 'x', kind: E = E.B, **kw) -> int: ...
        def tried(): ...
        def sometimes(): ...
        def late(): ...
        def later(): ...
        TABLE: dict = {2: 512, 4: 64}
    """,
    "pkg/types.py": "class Sizes: ...",
    "pkg/mod.py": "",
}
IDS = (
    "pkg",
    "pkg.mod",
    "pkg.gone",
    "pkg:f",
    "pkg:Kind",
    "pkg:tried",
    "pkg:sometimes",
    "pkg:late",
    "pkg:later",
    "pkg:missing",
    "pkg.home:Base",
    "pkg.home:C",
    "pkg.home:TABLE",
)
CORE = """
class _Shape:
    version = "9.9"
def shape(file): return _Shape()
def call(symbol, shape, arguments): return ["call", symbol, shape.version, sorted(arguments)]
def method(symbol, owner, arguments):
    return None if symbol.endswith("__init__") else ["method", symbol, owner.LIMIT]
def traced(trace): return lambda function: function
"""


def derived(surface: Surface, *ids: str) -> Surface:
    """The surface of the tree derived from ``surface``."""
    return read_surface(SourceTree(Texts(derive(surface)), "pkg"), watch(*ids), surface.release)


def run(tree: Path, code: str) -> object:
    """Run ``code`` with the tree and a small core importable; return what it prints as JSON."""
    (tree / "driftgate_stub_core.py").write_text(CORE)
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", textwrap.dedent(code)],
        env={**os.environ, "PYTHONPATH": str(tree), "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_a_derived_tree_has_the_surface_it_was_derived_from() -> None:
    """Read by the same reader, nothing differs: places, guards and absences included."""
    surface = surface_of(UPSTREAM, *IDS)

    assert surface.symbols["pkg:late"].guard.value == "lazy"
    assert diff(surface, derived(surface, *IDS)) == []


@pytest.mark.parametrize("release", recorded_releases(MATRIX / "surfaces"))
def test_every_recorded_release_can_be_derived(release: str) -> None:
    """What was recorded of the real releases can be spelled again without loss."""
    surface = load_surface(MATRIX / "surfaces", release)
    target = load_target(MATRIX / "target.toml")
    tree = SourceTree(Texts(derive(surface)), target.package)

    assert diff(surface, read_surface(tree, target, release)) == []


def test_a_derived_tree_runs_and_delegates_to_the_core(tmp_path: Path) -> None:
    """Python itself binds arguments; bodies hand everything to the core."""
    write_stub(surface_of(UPSTREAM, *IDS), tmp_path)
    said = run(
        tmp_path,
        """
        import json, inspect, pkg, pkg.home
        def refused(*args, **kw):
            try:
                pkg.f(*args, **kw)
            except TypeError:
                return True
        print(json.dumps({
            "signature": str(inspect.signature(pkg.f)),
            "call": pkg.f(1, zz=2),
            "positional only": refused(b=1),
            "enum": [m.name for m in pkg.Kind] + [pkg.Kind(99).name],
            "method": pkg.home.C(1).size,
            "static": pkg.home.C.bytes_for(3),
            "values": [pkg.home.C.LIMIT, pkg.home.TABLE[2]],
            "version": pkg.__version__,
            "lazy": pkg.late()[1] + pkg.later()[1],
            "missing": hasattr(pkg, "missing"),
        }))
        """,
    )

    assert said == {
        "signature": "(a, /, b: 'Optional[int]' = None, *args, c: 'str' = 'x', "
        "kind: 'E' = <E.B: 99>, **kw) -> 'int'",
        "call": ["call", "f", "9.9", ["a", "args", "b", "c", "kind", "kw"]],
        "positional only": True,
        "enum": ["A", "B", "B"],
        "method": ["method", "C.size", 4096],
        "static": ["call", "C.bytes_for", "9.9", ["kind", "n"]],
        "values": [4096, 512],
        "version": "9.9",
        "lazy": "latelater",
        "missing": False,
    }


def test_annotations_that_the_release_evaluates_are_evaluated(tmp_path: Path) -> None:
    """Without postponed annotations a consumer sees the class itself, as it would upstream."""
    files = {
        "pkg/__init__.py": """
            from .other import T
            def f(a: T, b: "T" = None): ...
        """,
        "pkg/other.py": "class T: ...",
    }
    write_stub(surface_of(files, "pkg:f"), tmp_path)
    code = """
        import inspect, json, pkg
        a, b = inspect.signature(pkg.f).parameters.values()
        print(json.dumps([a.annotation.__module__, a.annotation.__name__, b.annotation]))
    """

    assert run(tmp_path, code) == ["pkg.other", "T", "T"]


def test_deriving_again_removes_what_is_gone_and_keeps_what_is_not_derived(tmp_path: Path) -> None:
    """Only files that were derived are replaced."""
    (tmp_path / "shape.toml").write_text("# kept")
    (tmp_path / "helper.py").write_text("# kept")
    write_stub(surface_of(UPSTREAM, *IDS), tmp_path)
    written = write_stub(surface_of(UPSTREAM, "pkg.mod"), tmp_path)

    assert sorted(str(file.relative_to(tmp_path)) for file in tmp_path.rglob("*.*")) == [
        "helper.py",
        "pkg/__init__.py",
        "pkg/mod.py",
        "shape.toml",
    ]
    assert all(file.read_text().startswith(MARKER) for file in written)
