"""What real releases do on the seams; run where the wheel store has them.

The expected facts come from the releases' own sources and, for sums and norms, from plain torch.
"""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from packaging.specifiers import SpecifierSet

from driftgate.paths import find_project
from driftgate.wheels.store import WheelStore, cache_folder

SEAMS = find_project(Path(__file__)).matrix / "seams.toml"
STORE = WheelStore(cache_folder())
VERSIONS = [entry.version for entry in STORE.entries()]
ROUNDING = 2**-8  # of bfloat16, relative

pytestmark = pytest.mark.skipif(
    not VERSIONS, reason="the wheel store is empty: run `driftgate wheels fetch`"
)


def _is(version: str, releases: str) -> bool:
    return SpecifierSet(releases).contains(version, prereleases=True)


@pytest.fixture(scope="session")
def all_facts() -> dict[str, Any]:
    """Drive every release in the store, in one process that forks."""
    script = Path(__file__).with_name("release_facts.py")
    command = [sys.executable, str(script), str(STORE.root), str(SEAMS), *VERSIONS]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    return dict(json.loads(line) for line in done.stdout.splitlines())


@pytest.fixture(params=VERSIONS)
def version(request: pytest.FixtureRequest) -> str:
    found: str = request.param
    return found


@pytest.fixture
def facts(version: str, all_facts: dict[str, Any]) -> dict[str, Any]:
    """One release's facts; skips what this interpreter or this release cannot show."""
    found = all_facts[version]
    assert isinstance(found, dict), found
    if "refused" in found:
        pytest.skip(f"cannot be imported here: {found['refused']}")
    if not found["unified"]:
        pytest.skip("older than the unified API")
    return found


def test_the_release_meant_is_imported_or_refused(version: str, all_facts: dict[str, Any]) -> None:
    """0.6.16 to .post3 subscript array.array at import, which Python before 3.12 cannot."""
    found = all_facts[version]

    if _is(version, ">=0.6.16,<0.6.16.post4") and sys.version_info < (3, 12):
        error, text, where = found["refused"]
        assert (error, text) == ("TypeError", "type 'array.array' is not subscriptable")
        assert where.startswith("flashinfer/comm/fd_exchange.py:")
    else:
        assert Path(found["file"]).is_relative_to(STORE.folder(version))


def test_only_what_is_not_installed_is_stood_in_for(facts: dict[str, Any]) -> None:
    """And never what releases probe for."""
    roots = {name.partition(".")[0] for name in facts["standins"]} - {"cuda"}

    assert roots.isdisjoint({"cutlass", "numpy", "torch"})
    assert [name for name in roots if importlib.util.find_spec(name)] == []


def test_mnnvl_computes_over_the_group(facts: dict[str, Any]) -> None:
    """The sum of four equal powers-of-two-scaled inputs is exact; the rest is within rounding."""
    assert facts["mnnvl"]["backend"] == "mnnvl"
    assert facts["mnnvl"]["sum"] == 0.0
    assert facts["mnnvl"]["residual"] < ROUNDING
    assert facts["mnnvl"]["norm"] < ROUNDING


def test_trtllm_computes_over_whom_it_met(version: str, facts: dict[str, Any]) -> None:
    """0.6.10 meets WORLD whatever it is given: eight ranks' sum instead of four's."""
    over_world = _is(version, "==0.6.10")

    assert facts["trtllm"]["sum"] == (1.0 if over_world else 0.0)
    if not over_world:
        assert facts["trtllm"]["norm"] < ROUNDING


def test_a_reduction_over_the_wrong_peers_shows(facts: dict[str, Any]) -> None:
    """Over WORLD the sum is twice the group's."""
    assert facts["world"]["sum"] == 1.0


@pytest.mark.parametrize("backend", ["trtllm", "mnnvl"])
def test_with_whom_a_workspace_meets(version: str, facts: dict[str, Any], backend: str) -> None:
    """Given a group and a communicator over it, the release chooses by its own rule."""
    if _is(version, ">=0.6.10,<0.6.15"):
        over = "world" if backend == "trtllm" and _is(version, "==0.6.10") else "group"
    else:
        over = "comm_backend"
    ranks = list(range(8)) if over == "world" else [0, 1, 2, 3]
    # TRT-LLM shares three buffers, MNNVL one.
    count = 3 if backend == "trtllm" else 1

    assert facts[backend]["met"] == [[over, ranks]] * count
    assert facts[backend]["served"] == [backend]


def test_what_a_size_check_allows(version: str, facts: dict[str, Any]) -> None:
    """TRT-LLM counts elements. MNNVL counts bytes: 2 MiB granules, exact from 0.6.10 to 0.6.14.

    Made for 64 x 256 bf16 at four ranks: 131,072 bytes a buffer. 65 tokens need 133,120.
    """
    exact = _is(version, ">=0.6.10,<0.6.15")

    assert facts["trtllm"]["sizes"] == [True, False, False]
    assert facts["mnnvl"]["sizes"] == [True, not exact, False]


@pytest.mark.parametrize("backend", ["trtllm", "mnnvl"])
def test_what_destroying_frees(version: str, facts: dict[str, Any], backend: str) -> None:
    """From 0.6.10 on a module-level table keeps TRT-LLM's three buffers for good."""
    kept = 3 if backend == "trtllm" and _is(version, ">=0.6.10") else 0

    assert facts[backend]["left"] == kept


def test_what_reaches_the_kernel(version: str, facts: dict[str, Any]) -> None:
    """Eight tokens, one-shot by the heuristic, without PDL.

    Up to 0.6.7 the trigger followed PDL; the default was made True in 0.6.8.
    """
    plain, fused = facts["trtllm"]["kernels"]

    assert (plain["pattern"], fused["pattern"]) == (0, 1)
    for event in (plain, fused):
        assert (event["tokens"], event["hidden"]) == (8, 256)
        assert event["dtype"] == "bfloat16"
        assert event["use_oneshot"] is True
        assert event["launch_with_pdl"] is False
        assert event["trigger_completion_at_end"] is _is(version, ">=0.6.8")


def test_mnnvl_without_a_communicator_wants_mpi(facts: dict[str, Any]) -> None:
    """Without mpi4py, and it is not stood in for, creation fails."""
    if importlib.util.find_spec("mpi4py"):
        pytest.skip("mpi4py is installed")
    if isinstance(facts["no_communicator"], dict):
        # Allocated by torch, which meets over WORLD then.
        pytest.fail("created without MPI")
    assert "mpi4py" in facts["no_communicator"]


def test_auto_on_a_device_without_multicast(version: str, facts: dict[str, Any]) -> None:
    """From 0.6.16 on ``auto`` takes TRT-LLM; before, it takes MNNVL, which fails."""
    got = facts["no_multicast"]

    if _is(version, ">=0.6.16"):
        assert got["backend"] == "trtllm"
        assert got["sum"] == 0.0
    elif _is(version, ">=0.6.10,<0.6.15"):
        assert got.startswith("KernelRefusedError")
        assert "multicast buffer is null" in got
    else:
        assert got == "RuntimeError: [SymmDeviceMemory] Device does not support multicasting."


def test_a_null_multicast_pointer(version: str, facts: dict[str, Any]) -> None:
    """Creation checks it from 0.6.16 on; before, it gets as far as the kernel."""
    got = facts["null_multicast"]

    if _is(version, ">=0.6.16"):
        assert got.startswith("RuntimeError: [MNNVLAllReduceFusionWorkspace] Multicast pointer")
    else:
        assert got.startswith("KernelRefusedError")
        assert "multicast buffer is null" in got


def test_an_allocation_that_fails_raises(facts: dict[str, Any]) -> None:
    """As a RuntimeError, on either allocator."""
    assert [text.partition(":")[0] for text in facts["create_raises"]] == ["RuntimeError"] * 2


def test_memory_that_was_given_back_is_refused(facts: dict[str, Any]) -> None:
    """The kernel seam knows that the buffers are gone."""
    assert facts["misused"].startswith("KernelRefusedError")
    assert "is not live memory" in facts["misused"]


def test_how_far_the_cute_dsl_backend_goes(version: str, facts: dict[str, Any]) -> None:
    """It needs the cutlass DSL, which is not stood in for; older releases do not know it."""
    if _is(version, ">=0.7.2.post1"):
        if importlib.util.find_spec("cutlass"):
            pytest.skip("the cutlass DSL is installed")
        assert facts["cutedsl"] == "ModuleNotFoundError: No module named 'cutlass'"
    else:
        assert facts["cutedsl"] == "RuntimeError: Unknown backend: mnnvl-cutedsl"


def test_older_workspaces_are_shared_over_cuda_ipc(version: str, facts: dict[str, Any]) -> None:
    """Up to 0.6.9 create_shared_buffer makes them: four ones are summed, and all is given back."""
    if not _is(version, "<0.6.10"):
        pytest.skip("made by symmetric memory since 0.6.10")
    assert facts["older"] == {"sum": 4.0, "met": 3 * [["group", [0, 1, 2, 3]]]}
    assert facts["older_left"] == 0
