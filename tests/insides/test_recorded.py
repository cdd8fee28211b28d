"""The recorded insides against facts found by running the real releases, and by reading them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from packaging.version import Version

from driftgate.insides.changes import changes, verdict
from driftgate.insides.store import load_insides
from driftgate.paths import find_project
from driftgate.surface.difference import Difference, Kind, Level
from driftgate.surface.store import recorded_releases

if TYPE_CHECKING:
    from driftgate.insides.model import Case, Insides

PROJECT = find_project(Path(__file__))
CREATE = "flashinfer.comm:create_allreduce_fusion_workspace"
FUSED = "flashinfer.comm:allreduce_fusion"
WORLD = "torch.distributed.group.WORLD.group_name"
UNIFIED = recorded_releases(PROJECT.surfaces)[recorded_releases(PROJECT.surfaces).index("0.6.0") :]


@pytest.fixture(scope="module")
def insides() -> dict[str, Insides]:
    return {release: load_insides(PROJECT.insides, release) for release in UNIFIED}


def case(insides: Insides, branch: str, entry: str = CREATE) -> Case:
    return insides.entries[entry].cases[branch]


def between(first: str, last: str) -> list[str]:
    return UNIFIED[UNIFIED.index(first) : UNIFIED.index(last) + 1]


def found(old: str, new: str, kind: Kind) -> list[Difference]:
    return [item for item in changes(PROJECT, old, new) if item.kind is kind]


def test_every_recorded_release_has_insides() -> None:
    """Surfaces and insides are recorded together."""
    assert recorded_releases(PROJECT.insides) == recorded_releases(PROJECT.surfaces)


@pytest.mark.parametrize(
    ("first", "last", "trtllm", "mnnvl"),
    [
        ("0.6.0", "0.6.9", {"comm_backend", "TorchDistBackend(group=None)"}, {"comm_backend"}),
        ("0.6.10", "0.6.10", {WORLD}, {"comm_backend._group.group_name", WORLD}),
        (
            "0.6.10.post1",
            "0.6.14",
            {"group.group_name", WORLD},
            {"comm_backend._group.group_name", WORLD},
        ),
        ("0.6.15", "0.7.4", {"comm_backend", "TorchDistBackend(group=group)"}, {"comm_backend"}),
    ],
)
def test_peers_are_those_that_driving_the_releases_showed(
    insides: dict[str, Insides], first: str, last: str, trtllm: set[str], mnnvl: set[str]
) -> None:
    """Over the caller's communicator, over WORLD whatever is passed, or over a group."""
    for release in between(first, last):
        # From 0.6.16 on TRT-LLM has a second way, for confidential computing.
        assert trtllm <= set(case(insides[release], "trtllm").peers), release
        assert set(case(insides[release], "mnnvl").peers) - {"MPIBackend()"} == mnnvl, release


def test_the_older_entry_returns_what_its_docstring_lists() -> None:
    """Two values, three with metadata, four with symmetric memory too from 0.6.0 on."""
    for release in recorded_releases(PROJECT.insides):
        entries = load_insides(PROJECT.insides, release).entries
        (made,) = entries[
            "flashinfer.comm:trtllm_create_ipc_workspace_for_all_reduce_fusion"
        ].cases.values()
        expected: dict[str, tuple[str, ...]] = {"2 values": ()}
        if Version(release) >= Version("0.5.0"):
            expected["3 values"] = ("create_metadata",)
        if Version(release) >= Version("0.6.0"):
            expected["4 values"] = ("create_metadata", "use_symm_dev_mem")

        assert made.results == expected, release


def test_the_allocator_is_the_one_that_was_replaced_at_its_seam(
    insides: dict[str, Insides],
) -> None:
    """torch's symmetric memory for both backends in 0.6.10 to 0.6.14, the driver around that."""
    for release in UNIFIED:
        torchs = release in between("0.6.10", "0.6.14")
        for branch in ("trtllm", "mnnvl"):
            reached = case(insides[release], branch).reaches
            assert ("SymmDeviceMemory" not in reached) == torchs, (release, branch)
            assert torchs <= ("_symmetric_memory.rendezvous" in reached), (release, branch)


def test_a_null_multicast_pointer_is_refused_when_it_is(insides: dict[str, Insides]) -> None:
    """From 0.6.16 on."""
    checked = [
        release
        for release in UNIFIED
        if any(item.test == "not self.mc_ptr" for item in case(insides[release], "mnnvl").refusals)
    ]

    assert checked == between("0.6.16", UNIFIED[-1])


def test_parameters_that_a_backend_ignores(insides: dict[str, Insides]) -> None:
    """MNNVL ignores ``group`` always, and ``use_oneshot`` up to 0.6.12."""
    branch = "MNNVLAllReduceFusionWorkspace"
    ignoring = [
        release
        for release in UNIFIED
        if "use_oneshot" in case(insides[release], branch, FUSED).ignored
    ]

    assert ignoring == between("0.6.0", "0.6.12")
    for release in between("0.6.10.post1", UNIFIED[-1]):
        assert "group" in case(insides[release], "mnnvl").ignored
        assert "group" not in case(insides[release], "trtllm").ignored


def test_the_library_is_loaded_at_import_up_to_when_it_was(insides: dict[str, Insides]) -> None:
    """Importing asserts that libcudart is loaded up to 0.6.13."""
    name = "flashinfer.comm.cuda_ipc.CudaRTLibrary"
    loading = [
        release for release in UNIFIED if any(item.what == name for item in insides[release].calls)
    ]

    assert loading == between("0.6.0", "0.6.13")


def test_triton_and_cuda_tile_are_imported_when_they_were(insides: dict[str, Insides]) -> None:
    """At module scope in 0.6.10 to 0.6.13."""
    for name in ("triton", "cuda.tile"):
        needing = [
            release
            for release in UNIFIED
            if any(item.what == name and not item.guarded for item in insides[release].imports)
        ]
        assert needing == between("0.6.10", "0.6.13")


def test_the_releases_that_cannot_be_imported_are_the_ones_that_could_not(
    insides: dict[str, Insides],
) -> None:
    """0.6.16 to .post3 on Python 3.10 and 3.11."""
    failing = [release for release in UNIFIED if insides[release].generics]

    assert failing == ["0.6.16", "0.6.16.post1", "0.6.16.post2", "0.6.16.post3"]
    [failure] = found("0.6.15", "0.6.16", Kind.IMPORT_FAILS)
    assert failure.level is Level.BREAKING
    assert "fails on 3.10, 3.11," in failure.note


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("0.6.1", "0.6.2", "equal"),
        ("0.6.5", "0.6.6", "equal"),  # logs what it printed before
        ("0.6.6", "0.6.7", "dangerous"),  # the device no longer follows from the rank
        ("0.6.7", "0.6.8", "dangerous"),  # the trigger no longer follows launch_with_pdl
        ("0.6.9", "0.6.10", "dangerous"),
        ("0.6.10", "0.6.10.post1", "additive"),
        ("0.6.12", "0.6.13", "dangerous"),  # MNNVL honours use_oneshot
        ("0.6.13", "0.6.14", "dangerous"),  # the library is looked for at first use
        ("0.6.14", "0.6.15", "dangerous"),  # back to the driver's memory
        ("0.6.15", "0.6.16", "breaking"),
        ("0.6.16.post3", "0.6.16.post4", "additive"),
        ("0.6.17", "0.6.18", "dangerous"),  # MNNVL's buffers are aligned otherwise
        ("0.7.1", "0.7.2", "dangerous"),  # an FP32 workspace is twice as large
        ("0.7.2", "0.7.2.post1", "additive"),
        ("0.7.2", "0.7.4", "dangerous"),  # ranks agree anew on how handles are exchanged
    ],
)
def test_verdicts(old: str, new: str, expected: str) -> None:
    """As read by hand in both releases."""
    assert verdict(changes(PROJECT, old, new)) == expected


def test_code_that_nothing_else_tells_of_is_told() -> None:
    """As the sources read: one method in 0.6.13, buffers' sizes in 0.6.18 and in 0.7.2."""
    hops = [("0.6.12", "0.6.13"), ("0.6.17", "0.6.18"), ("0.7.1", "0.7.2"), ("0.6.5", "0.6.6")]
    told = [
        [(item.symbol.partition(":")[2], item.where) for item in found(*hop, Kind.BODY_EDITED)]
        for hop in hops
    ]

    assert told == [
        [("TorchDistBackend", "bcast")],
        [("create_allreduce_fusion_workspace", "[mnnvl]")],
        [
            ("create_allreduce_fusion_workspace", "[trtllm]"),
            ("trtllm_create_ipc_workspace_for_all_reduce_fusion", ""),
        ],
        [],
    ]


def test_equal_signatures_with_another_allocator_are_dangerous() -> None:
    """0.6.10: nothing breaks by signature; memory and peers changed on both backends."""
    differences = changes(PROJECT, "0.6.9", "0.6.10")
    dangerous = {
        (item.kind, item.where)
        for item in differences
        if item.symbol == CREATE and item.level is Level.DANGEROUS
    }

    assert not any(item.level is Level.BREAKING for item in differences)
    assert dangerous == {
        (kind, branch)
        for kind in (Kind.LOW_LEVEL_CHANGED, Kind.PEERS_CHANGED)
        for branch in ("[trtllm]", "[mnnvl]")
    }


def test_the_changed_choice_and_the_moved_class_are_shown() -> None:
    """0.6.16: ``auto`` asks for multicast on all ranks; the class is re-exported."""
    [choice] = found("0.6.15", "0.6.16", Kind.CHOICE_CHANGED)
    moved = {item.symbol: item.new for item in found("0.6.15", "0.6.16", Kind.SYMBOL_MOVED)}

    assert (choice.where, choice.level) == ("[auto]", Level.DANGEROUS)
    assert "all_ranks_support_mnnvl, is_multicast_supported" in (choice.new or "")
    assert moved["flashinfer.comm.mnnvl:TorchDistBackend"] == (
        "flashinfer.comm.comm_backend:TorchDistBackend"
    )


def test_siblings_have_disagreed_since_there_are_any() -> None:
    """0.6.0 brings the size check in two dialects."""
    [item] = found("0.5.3", "0.6.0", Kind.SIBLINGS_DIFFER)

    assert item.where == "is_buffer_size_sufficient"
    assert (
        "TRTLLMAllReduceFusionWorkspace(tp_size, num_tokens, hidden_dim, dtype, use_oneshot)"
        in (item.new or "")
    )
    assert "MNNVLAllReduceFusionWorkspace(tp_size, num_tokens, hidden_dim, dtype, strategy)" in (
        item.new or ""
    )
