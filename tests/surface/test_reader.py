from __future__ import annotations

import pytest

from driftgate.errors import InvalidDataError
from driftgate.surface.model import Class, Constant, Function, Guard, Module, ParamKind
from driftgate.surface.reader import read_surface
from driftgate.surface.sources import SourceTree
from surface.sources import Texts, symbol_of, watch

HOME = {"pkg/home.py": "def f(a): ..."}


@pytest.mark.parametrize(
    ("init", "name"),
    [
        ("from .home import f", "f"),
        ("from .home import f as g", "g"),
        ("from pkg.home import f as f", "f"),
        ("from .home import *", "f"),
        ("from .home import f\nh = f", "h"),
        ("def f(): ...\nfrom .home import f", "f"),
    ],
)
def test_reexports_are_followed(init: str, name: str) -> None:
    """Relative, absolute, renamed, starred and aliased names lead to the definition."""
    symbol = symbol_of({"pkg/__init__.py": init, **HOME}, f"pkg:{name}")

    assert symbol.defined_in == "pkg.home:f"
    assert symbol.guard is Guard.NONE
    assert isinstance(symbol.definition, Function)


def test_reexports_are_followed_through_several_modules() -> None:
    """A chain over a package and its parent ends at the definition."""
    files = {
        "pkg/__init__.py": "from .sub import f",
        "pkg/sub/__init__.py": "from .deep import f",
        "pkg/sub/deep.py": "from ..home import f",
        **HOME,
    }

    assert symbol_of(files, "pkg:f").defined_in == "pkg.home:f"


@pytest.mark.parametrize(
    ("init", "guard"),
    [
        ("try:\n    from .home import f\nexcept ImportError:\n    f = None", Guard.TRY),
        (
            "import contextlib\nwith contextlib.suppress(ImportError):\n    from .home import f",
            Guard.TRY,
        ),
        ("import sys\nif sys.version_info >= (3, 9):\n    from .home import f", Guard.IF),
        (
            "from typing import TYPE_CHECKING\nif not TYPE_CHECKING:\n    from .home import f",
            Guard.IF,
        ),
        (
            "def __getattr__(name):\n    from .home import f\n    return f",
            Guard.LAZY,
        ),
    ],
)
def test_conditional_names_are_found_and_marked(init: str, guard: Guard) -> None:
    """What a complete installation has is read, and the condition is recorded."""
    symbol = symbol_of({"pkg/__init__.py": init, **HOME}, "pkg:f")

    assert (symbol.defined_in, symbol.guard) == ("pkg.home:f", guard)


@pytest.mark.parametrize(
    "init",
    [
        "",
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from .home import f",
        "import typing\nif typing.TYPE_CHECKING:\n    from .home import f",
        "from .gone import f",
        "from .home import missing as f",
        "from . import f",
        "from elsewhere import f",
        "import f",
    ],
)
def test_what_is_not_there_at_run_time_is_absent(init: str) -> None:
    """Names for type checkers only, and names that lead nowhere, are recorded as absent."""
    symbol = symbol_of({"pkg/__init__.py": init, **HOME}, "pkg:f")

    assert symbol.definition is None
    assert symbol.defined_in == ""


def test_circular_reexports_are_absent() -> None:
    """Two modules that only hand a name to each other define it nowhere."""
    files = {"pkg/__init__.py": "from .home import f", "pkg/home.py": "from pkg import f"}

    assert symbol_of(files, "pkg:f").definition is None


def test_star_imports_obey_dunder_all() -> None:
    """A star hands on what ``__all__`` lists, or public names where there is none."""
    files = {
        "pkg/__init__.py": "from .listed import *\nfrom .plain import *",
        "pkg/listed.py": "__all__ = ['a']\ndef a(): ...\ndef b(): ...",
        "pkg/plain.py": "def _c(): ...",
    }

    found = {name: symbol_of(files, f"pkg:{name}").defined_in for name in ("a", "b", "_c")}
    assert found == {"a": "pkg.listed:a", "b": "", "_c": ""}


def test_modules_are_recorded_by_presence() -> None:
    """A row without a colon says whether the module exists."""
    assert symbol_of(HOME, "pkg.home").definition == Module()
    assert symbol_of(HOME, "pkg.gone").definition is None


def test_every_kind_of_parameter_is_read() -> None:
    """Kinds, defaults and annotations are kept as the source spells them."""
    text = "def f(a, /, b: int = 1, *args, c, d='x', **kw) -> 'T': ..."
    definition = symbol_of({"pkg/__init__.py": text}, "pkg:f").definition

    assert isinstance(definition, Function)
    assert [(p.name, p.kind, p.default, p.annotation) for p in definition.params] == [
        ("a", ParamKind.POSITIONAL_ONLY, None, None),
        ("b", ParamKind.POSITIONAL_OR_KEYWORD, "1", "int"),
        ("args", ParamKind.VAR_POSITIONAL, None, None),
        ("c", ParamKind.KEYWORD_ONLY, None, None),
        ("d", ParamKind.KEYWORD_ONLY, "'x'", None),
        ("kw", ParamKind.VAR_KEYWORD, None, None),
    ]
    assert definition.returns == "'T'"


@pytest.mark.parametrize(
    ("head", "canonical"),
    [
        ("import functools\n@functools.cache", "functools.cache"),
        ("from functools import cache\n@cache", "functools.cache"),
        (
            "from functools import lru_cache as lru\n@lru(maxsize=9)",
            "functools.lru_cache(maxsize=...)",
        ),
        ("from pkg.api import traced\n@traced(1, trace=x)", "traced(..., trace=...)"),
        ("from typing_extensions import deprecated\n@deprecated('long text')", "deprecated(...)"),
    ],
)
def test_decorators_are_canonical(head: str, canonical: str) -> None:
    """However a decorator is imported, it reads the same; argument values are left out."""
    definition = symbol_of({"pkg/__init__.py": f"{head}\ndef f(): ..."}, "pkg:f").definition

    assert isinstance(definition, Function)
    assert definition.decorators == (canonical,)


def test_classes_keep_bases_members_and_values() -> None:
    """Bases are named by origin, members by name, values are folded."""
    text = """
        import enum
        from .base import Base as Parent
        UNIT = 2
        class C(Parent, enum.Enum):
            ONE = 1
            SHIFTED = ONE << 4
            label: str
            _hidden = 0
            def __init__(self): ...
            @property
            def size(self) -> int: ...
    """
    files = {"pkg/__init__.py": text, "pkg/base.py": "class Base: ..."}
    definition = symbol_of(files, "pkg:C").definition

    assert isinstance(definition, Class)
    assert definition.bases == ("pkg.base:Base", "enum:Enum")
    assert list(definition.members) == ["ONE", "SHIFTED", "label", "__init__", "size"]
    assert definition.members["SHIFTED"] == Constant("16")
    assert definition.members["label"] == Constant(None, "str")
    assert definition.members["size"].decorators == ("property",)  # type: ignore[union-attr]


def test_only_watched_members_are_kept() -> None:
    """A target row can narrow a class to what consumers touch, private names included."""
    text = "class C:\n    a = 1\n    _b = 2\n    def c(self): ..."
    definition = symbol_of({"pkg/__init__.py": text}, "pkg:C", ("_b", "gone")).definition

    assert isinstance(definition, Class)
    assert definition.members == {"_b": Constant("2")}


def test_constants_are_folded_from_other_constants() -> None:
    """A threshold computed from another constant has a number as its value."""
    text = "KIB = 1024\nLIMIT: int = 64 * KIB\nMADE = object()"
    files = {"pkg/__init__.py": text}

    assert symbol_of(files, "pkg:LIMIT").definition == Constant("65536", "int")
    assert symbol_of(files, "pkg:MADE").definition == Constant("object()")


def test_names_in_signatures_lead_to_their_origin() -> None:
    """Annotations and defaults can be spelled again elsewhere: their names' origins are kept."""
    text = """
        import torch
        import torch.distributed as dist
        from typing import Optional as Opt
        from .base import Base
        def f(a: Opt[torch.Tensor] = None, b: Base = Base.X, c: dist.ProcessGroup = None): ...
    """
    symbol = symbol_of({"pkg/__init__.py": text, "pkg/base.py": "class Base: ..."}, "pkg:f")

    assert symbol.names == {
        "Base": "pkg.base:Base",
        "Opt": "typing:Optional",
        "dist": "torch.distributed",
        "torch": "torch",
    }


def test_nothing_is_imported_or_executed() -> None:
    """A module that would fail on import is read like any other."""
    text = "raise SystemExit('executed')\ndef f(): ..."

    assert symbol_of({"pkg/__init__.py": text}, "pkg:f").definition is not None


def test_only_modules_on_the_way_are_read() -> None:
    """Modules that no watched name leads to are not asked for: their bytes are not fetched."""
    files = Texts({"pkg/__init__.py": "from .home import f\nfrom .big import g", **HOME})
    read_surface(SourceTree(files, "pkg"), watch("pkg:f"), "1.0")

    assert files.read_paths == ["pkg.py", "pkg/__init__.py", "pkg/home.py"]


def test_source_that_is_not_python_is_one_clear_error() -> None:
    """A file that cannot be parsed is named, with its line."""
    with pytest.raises(InvalidDataError, match=r"pkg/__init__.py: not Python .*line 1"):
        symbol_of({"pkg/__init__.py": "def f(:"}, "pkg:f")
