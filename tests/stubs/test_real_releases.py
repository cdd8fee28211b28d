"""The core's validators against the releases' own, executed from their source text.

``DRIFTGATE_RELEASES`` names a folder that holds unpacked releases, ``0.6.0/flashinfer/…``. Only
the arithmetic is executed: a function, an enum and a static method, taken out of their files.
"""

from __future__ import annotations

import ast
import functools
import math
import os
import random
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import torch

from driftgate.toml import read_toml
from stubs.children import STUBS

if TYPE_CHECKING:
    from stubs.children import Child, InStub

RELEASES = os.environ.get("DRIFTGATE_RELEASES", "")
pytestmark = pytest.mark.skipif(
    not RELEASES, reason="DRIFTGATE_RELEASES names no folder of unpacked releases"
)
DTYPES = [torch.bfloat16, torch.float16, torch.float32, torch.float64, torch.int8]
STAND_FOR = [
    (release, path.parent.name)
    for path in sorted(STUBS.glob("v0_[67]_*/shape.toml"))
    for release in read_toml(path)["stands_for"]
]


def taken(file: Path, names: set[str]) -> dict[str, Any]:
    """Execute the top-level definitions ``names`` of ``file``, and of classes their arithmetic."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    body: list[ast.stmt] = []
    for node in tree.body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) in names:
            body.append(node)
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and node.name in names:
            if isinstance(node, ast.ClassDef) and node.name.endswith("Workspace"):
                node.bases = []
                node.body = [
                    each
                    for each in node.body
                    if isinstance(each, ast.FunctionDef)
                    and each.name == "get_required_buffer_size_bytes"
                ]
            body.append(node)
    namespace: dict[str, Any] = {
        "torch": torch,
        "functools": functools,
        "math": math,
        "Enum": Enum,
    }
    code = compile(ast.Module(body, []), str(file), "exec")
    exec(code, namespace)  # noqa: S102 - the release's own arithmetic, on purpose
    return namespace


def problems(seed: str) -> list[tuple[int, int, int, torch.dtype]]:
    """Rank counts, tokens, hidden sizes and types, dense around where answers change."""
    draw = random.Random(seed)  # noqa: S311 - no secrets
    return [
        (
            draw.choice([1, 2, 3, 4, 8, 16]),
            draw.choice([0, 1, draw.randrange(64), draw.randrange(4096), 2**20]),
            draw.choice([1, 64, 4992, 5120, 6552, 7168, draw.randrange(1, 16384)]),
            draw.choice(DTYPES),
        )
        for _ in range(500)
    ]


@pytest.mark.parametrize(("release", "stub"), STAND_FOR)
def test_mnnvl_bytes(in_stub: InStub, release: str, stub: str) -> None:
    """Required bytes are the release's for every strategy, on 500 problems."""
    real = taken(
        Path(RELEASES, release, "flashinfer/comm/trtllm_mnnvl_ar.py"),
        {
            "MNNVLAllreduceFusionStrategy",
            "MNNVL_ONE_SHOT_THRESHOLD",
            "MNNVLAllReduceFusionWorkspace",
        },
    )
    asked = problems(release)

    def sizes(workspace: Any, strategies: Any) -> list[int]:
        return [
            workspace.get_required_buffer_size_bytes(*problem, strategy)
            for problem in asked
            for strategy in (*strategies, None)
        ]

    def ask(child: Child) -> list[int]:
        module = child.load("flashinfer.comm.trtllm_mnnvl_ar")
        return sizes(module.MNNVLAllReduceFusionWorkspace, module.MNNVLAllreduceFusionStrategy)

    expected = sizes(real["MNNVLAllReduceFusionWorkspace"], real["MNNVLAllreduceFusionStrategy"])
    assert expected == in_stub(stub, ask)


@pytest.mark.parametrize(("release", "stub"), STAND_FOR)
def test_trtllm_refusals(in_stub: InStub, release: str, stub: str) -> None:
    """Refused are the same problems, in the same words, on 500 problems and odd metadata."""
    name = "check_trtllm_allreduce_fusion_workspace_metadata"
    real = taken(Path(RELEASES, release, "flashinfer/comm/trtllm_ar.py"), {name})
    made_for = {"tp_size": 4, "max_token_num": 26, "hidden_dim": 5120, "use_fp32_lamport": False}
    kept = [{**made_for}, {**made_for, "use_fp32_lamport": True}, {"tp_size": 4}, {}]
    asked = problems(release)

    def words(check: Any) -> list[str]:
        said = []
        for ranks, tokens, hidden, dtype in asked:
            for metadata in kept:
                try:
                    check(tokens, hidden, ranks, dtype, metadata)
                except ValueError as error:  # noqa: PERF203
                    said.append(str(error))
                else:
                    said.append("")
        return said

    def ask(child: Child) -> list[str]:
        return words(getattr(child.load("flashinfer.comm.trtllm_ar"), name))

    assert words(real[name]) == in_stub(stub, ask)


def test_the_releases_are_there() -> None:
    """Every release that a unified shape stands for is in the folder."""
    assert [release for release, _ in STAND_FOR if not Path(RELEASES, release).is_dir()] == []
