"""Destruction, what is left behind, and the end of the interpreter."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import warnings
from typing import TYPE_CHECKING

import pytest
import torch

from stubs.children import STUBS, outcome

if TYPE_CHECKING:
    from stubs.children import Child, InStub


@pytest.mark.parametrize(
    ("name", "backend", "left"),
    [
        ("v0_6_0", "mnnvl", [1, 0, 0]),
        ("v0_6_12", "mnnvl", [1, 0, 0]),
        ("v0_7_4", "mnnvl", [1, 0, 0]),
        ("v0_6_0", "trtllm", [3, 3, 0]),
        ("v0_6_8", "trtllm", [3, 3, 0]),
        ("v0_6_10", "trtllm", [3, 3, 3]),
        ("v0_7_4", "trtllm", [3, 3, 3]),
    ],
)
def test_what_destroy_frees_and_what_being_collected(
    in_stub: InStub, name: str, backend: str, left: list[int]
) -> None:
    """MNNVL frees in destroy. TRT-LLM's three buffers go with the object, or from 0.6.10 never."""

    def ask(child: Child) -> list[int]:
        workspace = child.create(backend, 64, 64)
        left = [child.core.live_handles()]
        workspace.destroy()
        workspace.destroy()
        left.append(child.core.live_handles())
        del workspace
        gc.collect()
        return [*left, child.core.live_handles()]

    assert left == in_stub(name, ask)


def test_what_a_table_keeps_is_freed_by_the_older_call(in_stub: InStub) -> None:
    """From 0.6.10 on trtllm_destroy_ipc_workspace_... empties its table, by the list's identity."""

    def ask(child: Child) -> int:
        workspace = child.create("trtllm", 64, 64)
        child.comm.trtllm_destroy_ipc_workspace_for_all_reduce_fusion(workspace.ipc_handles)
        workspace.destroy()
        del workspace
        gc.collect()
        return int(child.core.live_handles())

    assert in_stub("v0_7_4", ask) == 0


def test_an_undestroyed_workspace_warns_and_frees_when_collected(in_stub: InStub) -> None:
    def ask(child: Child) -> tuple[list[str], int]:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            child.create("mnnvl", 64, 64)
            gc.collect()
        return [each.category.__name__ for each in caught], child.core.live_handles()

    assert in_stub("v0_7_4", ask) == (["ResourceWarning"], 0)


@pytest.mark.parametrize(
    ("name", "fault", "error"),
    [
        ("v0_7_4", "create_raises", "RuntimeError"),
        ("v0_7_4", "create_raises_oom", "RuntimeError"),
        ("v0_6_12", "create_raises_oom", "OutOfMemoryError"),
    ],
)
@pytest.mark.parametrize("backend", ["trtllm", "mnnvl"])
def test_creation_faults_fail_before_the_peers_are_met(
    in_stub: InStub, backend: str, name: str, fault: str, error: str
) -> None:
    """The driver's allocator raises RuntimeError; torch's has an error of its own."""

    def ask(child: Child) -> tuple[str, int, int]:
        try:
            child.create(backend, 64, 64)
        except RuntimeError as raised:
            met = len(child.seen("rendezvous"))
            return type(raised).__name__, met, child.core.live_handles()
        return "", 0, 0

    assert (error, 0, 0) == in_stub(name, ask, faults=frozenset({fault}))


@pytest.mark.parametrize("fault", ["size_check_raises", "kernel_raises", "destroy_raises"])
@pytest.mark.parametrize("backend", ["trtllm", "mnnvl"])
def test_faults_of_a_workspace_raise_where_they_say(
    in_stub: InStub, backend: str, fault: str
) -> None:
    def ask(child: Child) -> list[str]:
        workspace = child.create(backend, 64, 64)
        rows = torch.ones(8, 64, dtype=torch.bfloat16)
        outcomes = {
            "size_check_raises": outcome(workspace.is_buffer_size_sufficient, 4, 8, 64, rows.dtype),
            "kernel_raises": outcome(child.comm.allreduce_fusion, rows, workspace, 0),
            "destroy_raises": outcome(workspace.destroy),
        }
        failed = [name for name, became in outcomes.items() if became == "RuntimeError"]
        workspace._destroyed = True
        return failed

    failed = [fault]
    if (backend, fault) == ("mnnvl", "size_check_raises"):
        failed.append("kernel_raises")  # its dispatch asks the size check first

    assert failed == in_stub("v0_7_4", ask, faults=frozenset({fault}))


@pytest.mark.parametrize(("name", "expected"), [("v0_6_6", "IndexError"), ("v0_6_7", "ok")])
def test_an_empty_fabric_uuid_was_indexed_up_to_0_6_6(
    in_stub: InStub, name: str, expected: str
) -> None:
    def ask(child: Child) -> str:
        try:
            child.create("trtllm", 64, 64)
        except IndexError:
            return "IndexError"
        return "ok"

    assert expected == in_stub(name, ask, faults=frozenset({"fabric_uuid_empty"}))


def test_unknown_faults_are_refused(in_stub: InStub) -> None:
    def ask(child: Child) -> str:
        try:
            child.core.Settings(faults=frozenset({"create_rises"}))
        except ValueError as error:
            return str(error)
        return ""

    assert "create_rises" in in_stub("v0_7_4", ask)


def test_a_creation_that_fails_after_allocating_leaves_nothing(in_stub: InStub) -> None:
    """Without comm_backend MNNVL turned to MPI, up to 0.7.2, when its memory was there already."""

    def ask(child: Child) -> tuple[str, int]:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ResourceWarning)
            became = outcome(child.create, "mnnvl", 64, 64, comm_backend=None)
            gc.collect()
        return became, child.core.live_handles()

    assert in_stub("v0_7_2", ask) == ("ImportError", 0)


SHUTDOWN = """
import torch.distributed as dist
from torch.testing._internal.distributed.fake_pg import FakeStore
dist.init_process_group("fake", rank=0, world_size=2, store=FakeStore())
import torch, flashinfer.comm as comm
workspace = comm.create_allreduce_fusion_workspace(
    "trtllm", 2, 0, 64, 64, torch.bfloat16
)
"""


@pytest.mark.parametrize(("name", "noisy"), [("v0_6_1", True), ("v0_6_5", False)])
def test_a_workspace_alive_at_shutdown(name: str, noisy: bool) -> None:
    """Up to 0.6.4 the destructor imports, which the dying interpreter refuses aloud."""
    path = os.pathsep.join([str(STUBS / name), str(STUBS / "_core")])
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", SHUTDOWN],
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )

    assert noisy == (done.stderr != "")
    assert noisy == ("AllReduceFusionWorkspace.__del__" in done.stderr)
