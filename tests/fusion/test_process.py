"""What can only be seen in a whole process of its own."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import flashinfer_comm_fusion

SOURCES = sorted(Path(flashinfer_comm_fusion.__file__).parent.glob("*.py"))

SHUTDOWN = """
import pytest, sys
import torch
from fusion import upstreams
import flashinfer_comm_fusion as fusion

upstream = upstreams.install(pytest.MonkeyPatch())
class Group:
    world_size, rank_in_group, device_group, cpu_group = 4, 0, None, None
fusion.configure(
    attn_tp_group=Group(),
    topology=fusion.Topology(sm=90),
    is_capturing=lambda: False,
)
assert fusion.ensure_workspace_initialized(64, 1024), fusion.fusion_status()
def destroy(self):
    print("destroyed", sys.meta_path is not None)
    raise RuntimeError("too late")
upstreams.TrtllmWorkspace.destroy = destroy
"""


def run(code: str) -> subprocess.CompletedProcess[str]:
    tests = Path(__file__).parents[1]
    return subprocess.run(
        [sys.executable, "-c", f"import sys; sys.path.insert(0, {str(tests)!r})\n{code}"],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def test_importing_it_imports_no_flashinfer_and_no_harness() -> None:
    ran = run(
        "import flashinfer_comm_fusion\n"
        "print([m for m in sys.modules if m.split('.')[0] in ('flashinfer', 'driftgate')])"
    )

    assert (ran.stdout, ran.returncode) == ("[]\n", 0), ran.stderr


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.stem)
def test_it_depends_on_torch_alone(path: Path) -> None:
    """Absolute imports name torch, the standard library, or the package itself."""
    allowed = {"torch", "flashinfer_comm_fusion", *sys.stdlib_module_names}
    imported = {
        (node.module or "") if isinstance(node, ast.ImportFrom) else alias.name
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, (ast.Import, ast.ImportFrom))
        for alias in node.names
    }

    assert {name.split(".")[0] for name in imported} <= allowed


def test_the_interpreter_ends_in_silence_with_a_workspace_alive() -> None:
    """It is given up while imports still work, and even a failure of that says nothing."""
    ran = run(SHUTDOWN)

    assert (ran.stdout, ran.stderr, ran.returncode) == ("destroyed True\n", "", 0)


def test_the_public_names_are_those_that_it_exports() -> None:
    """SGLang's names are all there, so that an engine can swap its module for this one."""
    names = set(flashinfer_comm_fusion.__all__)

    assert {
        "FlashInferWorkspaceManager",
        "can_use_flashinfer_allreduce",
        "cleanup_flashinfer_workspace",
        "ensure_workspace_initialized",
        "flashinfer_allreduce",
        "flashinfer_allreduce_residual_rmsnorm",
        "is_flashinfer_allreduce_unavailable",
        "pre_initialize_workspaces",
        "resolve_flashinfer_allreduce_fusion_backend",
    } <= names
    assert all(hasattr(flashinfer_comm_fusion, name) for name in names)
