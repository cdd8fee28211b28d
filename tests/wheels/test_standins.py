from __future__ import annotations

import ctypes
import importlib
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from driftgate.wheels.cudart import MappedLibrary
from driftgate.wheels.machine import Machine
from driftgate.wheels.standins import StandIns, forget

if TYPE_CHECKING:
    from collections.abc import Iterator

NAME = "a_package_that_nobody_has"


@pytest.fixture(autouse=True)
def _clean() -> Iterator[None]:
    yield
    forget([NAME])


def test_a_missing_package_takes_part_in_import_time_code() -> None:
    """Attributes, annotations, bases, decorators and submodules, as kernels' modules use them."""
    with StandIns([NAME]).answering():
        module: Any = importlib.import_module(NAME)
        importlib.import_module(f"{NAME}.deep.er")

        @module.jit  # type: ignore[untyped-decorator]
        def kernel(x: module.constexpr | None, y: module.Array[int]) -> int:
            return 42

        @module.autotune(configs=[])  # type: ignore[untyped-decorator]
        def other() -> None:
            pass

        class Below(module.Base):  # type: ignore[misc]
            pass

    assert kernel(None, None) == 42
    assert Below().__class__.__name__ == "Below"
    assert module.Enum.MEMBER is module.Enum.MEMBER
    assert StandIns.used() == (NAME, f"{NAME}.deep", f"{NAME}.deep.er")


def test_a_package_that_is_installed_is_the_real_one() -> None:
    """The finder is asked after all others."""
    with StandIns(["colorsys"]).answering():
        sys.modules.pop("colorsys", None)
        module = importlib.import_module("colorsys")

    assert module.__file__ is not None
    assert "colorsys" not in StandIns.used()


def test_other_missing_packages_stay_missing() -> None:
    """Probes for them must fail."""
    with StandIns([NAME]).answering(), pytest.raises(ModuleNotFoundError):
        importlib.import_module("another_package_that_nobody_has")


def test_a_forgotten_stand_in_is_missing_again() -> None:
    """Below it too."""
    with StandIns([NAME]).answering():
        importlib.import_module(f"{NAME}.deep")
    forget([NAME])

    with pytest.raises(ModuleNotFoundError):
        importlib.import_module(NAME)


def test_the_null_runtime_is_found_as_the_real_one_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is among the process's maps, opens, and its allocations have addresses of their own."""
    monkeypatch.setattr(ctypes, "CDLL", ctypes.CDLL)  # restored afterwards
    MappedLibrary(tmp_path, Machine()).install()

    maps = Path("/proc/self/maps").read_text(encoding="utf-8").splitlines()
    (path,) = {line.split()[-1] for line in maps if str(tmp_path) in line}
    library = ctypes.CDLL(path)
    first, second = ctypes.c_void_p(), ctypes.c_void_p()
    library.cudaMalloc.argtypes = [ctypes.POINTER(ctypes.c_void_p), ctypes.c_size_t]

    assert Path(path).name == "libcudart.so.12"
    assert library.cudaMalloc(ctypes.byref(first), 20) == 0
    assert library.cudaMalloc(ctypes.byref(second), 20) == 0
    assert first.value
    assert second.value
    assert first.value != second.value
    assert ctypes.CDLL(None).getpid() > 0
