"""The folders themselves: what they declare, and that the core knows all that they take."""

from __future__ import annotations

import ast
import importlib
import inspect
import sys
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

import pytest

from driftgate.environments import read_environments
from driftgate.toml import read_toml
from flashinfer_comm_fusion.status import ReasonCode
from stubs.children import STUBS, in_child

if TYPE_CHECKING:
    from pathlib import Path

NAMES = sorted(path.parent.name for path in STUBS.glob("*/shape.toml"))
RAISES = {
    "comm_missing": "ModuleNotFoundError",
    "import_raises_attributeerror": "AttributeError",
    "import_raises_importerror": "ImportError",
    "import_raises_oserror": "OSError",
    "import_raises_runtimeerror": "RuntimeError",
}
# Seams of allocators, a base class whose subclasses answer, what no consumer calls: not imitated.
NOT_IMITATED = {
    "AllReduceFusionWorkspace.backend",
    "AllReduceFusionWorkspace.destroy",
    "AllReduceFusionWorkspace.is_buffer_size_sufficient",
    "McastGPUBuffer.__init__",
    "SymmDeviceMemory.__init__",
    "TorchDistBackend.Split",
    "_alloc_symm_buffer_bytes",
}


@pytest.mark.parametrize("name", NAMES)
def test_shape_is_historic_or_imagined_and_names_known_things(name: str) -> None:
    shape = read_toml(STUBS / name / "shape.toml")
    codes = {code.value for code in ReasonCode}

    assert ("stands_for" in shape) != ("imagines" in shape)
    assert "\n" not in shape.get("imagines", "")
    assert set(shape) <= {"stands_for", "imagines", "base", "behaviour", "degraded"}
    assert set(shape.get("degraded", {}).values()) <= codes
    assert shape.get("base", name) in NAMES


@pytest.mark.parametrize("name", NAMES)
def test_degraded_rows_name_environments(name: str) -> None:
    """A row whose pattern matches no environment says nothing."""
    ids = list(read_environments(STUBS.parent / "matrix" / "environments.toml"))
    rows = read_toml(STUBS / name / "shape.toml").get("degraded", {})

    assert [row for row in rows if not any(fnmatchcase(each, row) for each in ids)] == []


@pytest.mark.parametrize("name", NAMES)
def test_importing_flashinfer_comm(name: str) -> None:
    """It imports from this folder or the one it borrows from, or raises what it says it raises."""

    def load() -> str:
        sys.path[:0] = [str(STUBS / name), str(STUBS / "_core")]
        try:
            return str(importlib.import_module("flashinfer.comm").__file__)
        except Exception as error:  # noqa: BLE001 - its type is the answer
            return type(error).__name__

    expected = RAISES.get(name, str(STUBS / name / "flashinfer" / "comm" / "__init__.py"))

    assert expected == in_child(load)


def delegations(folder: Path) -> list[tuple[str, list[str]]]:
    """Symbol and parameter names of each function in ``folder`` that hands over its locals."""
    found = []
    for file in sorted(folder.rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.FunctionDef):
                continue
            call = node.body[-1]
            if not (isinstance(call, ast.Return) and isinstance(call.value, ast.Call)):
                continue
            arguments = call.value.args
            if len(arguments) == 3 and ast.unparse(arguments[2]) == "locals()":
                taken = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
                symbol = ast.literal_eval(arguments[0])
                found.append((symbol, [each.arg for each in taken if each.arg != "self"]))
    return found


def test_the_core_takes_what_every_shape_takes() -> None:
    """Each behaviour binds the parameters of each historic shape that hands over to it."""

    def check() -> list[str]:
        sys.path.insert(0, str(STUBS / "_core"))
        registry: Any = importlib.import_module("driftgate_stub_core.registry")
        behaviours: dict[str, Any] = registry._behaviours
        problems = []
        for name in NAMES:
            for symbol, parameters in delegations(STUBS / name):
                if symbol in NOT_IMITATED or symbol.startswith("CommBackend."):
                    continue
                if symbol not in behaviours:
                    problems.append(f"{name}: nothing implements {symbol}")
                    continue
                signature = inspect.signature(behaviours[symbol])
                leading = [each for each in signature.parameters if each in ("shape", "self")]
                try:
                    signature.bind(*leading, **dict.fromkeys(parameters))
                except TypeError as error:
                    problems.append(f"{name}: {symbol}: {error}")
        return problems

    assert in_child(check) == []


def test_delegations_are_found() -> None:
    """A unified shape hands over at least the functions, three workspace classes and a backend."""
    symbols = {symbol for symbol, _ in delegations(STUBS / "v0_7_4")}

    assert {
        "create_allreduce_fusion_workspace",
        "allreduce_fusion",
        "TRTLLMAllReduceFusionWorkspace.is_buffer_size_sufficient",
        "MNNVLAllReduceFusionWorkspace.is_buffer_size_sufficient",
        "MNNVLCuteDSLAllReduceFusionWorkspace.is_buffer_size_sufficient",
        "TorchDistBackend.bcast",
    } <= symbols
