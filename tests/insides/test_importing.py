from __future__ import annotations

import importlib
import sys
from pathlib import Path

import pytest
from packaging.version import Version

from driftgate.insides.target import load_insides_target
from insides.sources import insides_of

MATRIX = Path(__file__).parents[2] / "matrix"


def imported(files: dict[str, str]) -> list[tuple[str, str, bool]]:
    return [(item.what, item.module, item.guarded) for item in insides_of(files).imports]


def test_imports_are_followed_within_the_package() -> None:
    """Modules imported from the root are read, those that nothing imports are not."""
    files = {
        "pkg/__init__.py": "from .a import x\nfrom . import b",
        "pkg/a.py": "import torch\nimport os",
        "pkg/b.py": "import triton.language as tl",
        "pkg/c.py": "import nobody",
    }

    assert imported(files) == [("torch", "pkg.a", False), ("triton.language", "pkg.b", False)]


def test_a_guard_on_the_way_guards_all_behind_it() -> None:
    """Unless the module is reached for sure by another way."""
    files = {
        "pkg/__init__.py": "try:\n    from . import a, b\nfinally:\n    pass\nimport pkg.b",
        "pkg/a.py": "import cutlass",
        "pkg/b.py": "import torch\nif torch:\n    import numpy",
    }

    assert imported(files) == [
        ("cutlass", "pkg.a", True),
        ("numpy", "pkg.b", True),
        ("torch", "pkg.b", False),
    ]


def test_what_only_a_type_checker_or_a_function_imports_does_not_count() -> None:
    """Neither runs at import."""
    text = """
    from typing import TYPE_CHECKING
    if TYPE_CHECKING:
        import mpi4py
    def f():
        import nvshmem
    """

    assert imported({"pkg/__init__.py": text}) == []


def test_calls_at_module_and_class_level_are_found() -> None:
    """Those in functions, in decorators and of the standard library are not."""
    text = """
    import logging, torch
    from ctypes import CDLL
    class CudaRTLibrary: ...
    logger = logging.getLogger(len("x"))
    cudart = CudaRTLibrary()
    later = lambda: CudaRTLibrary()
    class X:
        count: int = torch.cuda.device_count()
        @torch.jit.script()
        def f(self, size=torch.finfo()): torch.empty(1)
    """
    found = insides_of({"pkg/__init__.py": text}).calls

    assert [item.what for item in found] == [
        "pkg.CudaRTLibrary",
        "torch.cuda.device_count",
        "torch.finfo",
    ]


SUBSCRIPT = "import array\nfrom queue import Queue as Q\n"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("def f(a: array.array[int]): ...", ["array.array"]),
        ("def f() -> tuple[array.array[int]]: ...", ["array.array"]),
        ("x: Q[int]", ["queue.Queue"]),
        ("class A(Q[int]): ...", ["queue.Queue"]),
        ("class A:\n    x: array.array[int]", ["array.array"]),
        ("def f(a: 'array.array[int]'): ...", []),
        ("def f():\n    x: array.array[int]", []),
        ("def f(a: dict[str, int]): ...", []),
    ],
)
def test_subscripts_that_run_at_import_are_found(text: str, found: list[str]) -> None:
    """Annotations of signatures and of module and class level are evaluated, others are not."""
    plain = insides_of({"pkg/__init__.py": SUBSCRIPT + text})
    postponed = insides_of(
        {"pkg/__init__.py": "from __future__ import annotations\n" + SUBSCRIPT + text}
    )

    assert [item.what for item in plain.generics] == found
    assert [item.what for item in postponed.generics] == (found if "(Q[" in text else [])


TARGET = load_insides_target(MATRIX / "insides.toml")


@pytest.mark.parametrize("name", TARGET.generic_since)
def test_the_table_of_generics_is_true_here(name: str) -> None:
    """The class can be subscripted on this interpreter exactly if the table says so."""
    module, _, attribute = name.rpartition(".")
    class_ = getattr(importlib.import_module(module), attribute)
    here = Version("{}.{}".format(*sys.version_info))
    try:
        class_[int]
    except TypeError:
        works = False
    else:
        works = True

    assert works == (here >= TARGET.generic_since[name])
