"""Each imagined shape is what its line says, and still computes where it should."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

import pytest
import torch

from stubs.children import outcome

if TYPE_CHECKING:
    from stubs.children import Child, InStub

BF16 = torch.bfloat16


def create(child: Child, backend: str, **options: Any) -> Any:
    """Create with the arguments that every shape takes by keyword."""
    module = child.load("flashinfer.comm")
    return module.create_allreduce_fusion_workspace(
        backend=backend,
        world_size=4,
        rank=0,
        max_token_num=64,
        hidden_dim=64,
        dtype=BF16,
        comm_backend=child.load("flashinfer.comm.mnnvl").TorchDistBackend(None),
        **options,
    )


@pytest.mark.parametrize(
    "name",
    [
        "no_signature",
        "no_signature_broken",
        "var_kwargs",
        "use_oneshot_only",
        "strategy_enum",
        "strategy_default_none",
        "strategy_string",
        "size_check_renamed_hint",
        "size_check_missing",
        "metadata_missing",
        "metadata_renamed",
        "backend_renamed",
        "destroy_missing",
        "keyword_only",
    ],
)
@pytest.mark.parametrize("backend", ["trtllm", "mnnvl"])
def test_it_computes(in_stub: InStub, name: str, backend: str) -> None:
    """A plain all-reduce over four equal ranks is four times the rows."""

    def ask(child: Child) -> float:
        workspace = create(child, backend)
        rows = torch.ones(8, 64, dtype=BF16)
        reduced = child.comm.allreduce_fusion(input=rows, workspace=workspace, pattern=0)
        workspace._destroyed = True
        return float(reduced[0, 0])

    assert in_stub(name, ask) == 4.0


@pytest.mark.parametrize("name", ["no_signature", "no_signature_broken"])
def test_signatures_cannot_be_read(in_stub: InStub, name: str) -> None:
    def ask(child: Child) -> list[bool]:
        functions = (child.comm.create_allreduce_fusion_workspace, child.comm.allreduce_fusion)
        return [
            outcome(inspect.signature, each) in ("ValueError", "TypeError") for each in functions
        ]

    assert in_stub(name, ask) == [True, True]


def test_no_signature_is_a_c_callable(in_stub: InStub) -> None:
    def ask(child: Child) -> tuple[bool, str]:
        function = child.comm.create_allreduce_fusion_workspace
        return inspect.isfunction(function), outcome(inspect.signature, function)

    assert in_stub("no_signature", ask) == (False, "ValueError")


@pytest.mark.parametrize("name", ["no_signature", "no_signature_broken", "var_kwargs"])
def test_what_is_not_taken_is_refused_behind_a_hidden_signature(in_stub: InStub, name: str) -> None:
    def ask(child: Child) -> list[str]:
        return [
            outcome(create, child, "trtllm"),
            outcome(create, child, "trtllm", group=None),
            outcome(create, child, "trtllm", use_fp32_lamport=True),
        ]

    assert in_stub(name, ask) == ["ok", "ok", "TypeError"]


@pytest.mark.parametrize(
    ("name", "backend", "good", "bad"),
    [
        ("use_oneshot_only", "mnnvl", {"use_oneshot": True}, {"strategy": None}),
        ("strategy_enum", "trtllm", {"strategy": None}, {"use_oneshot": True}),
        ("strategy_default_none", "mnnvl", {"strategy": None}, {"use_oneshot": True}),
        ("strategy_string", "mnnvl", {"strategy": "oneshot"}, {"use_oneshot": True}),
        ("size_check_renamed_hint", "trtllm", {"prefer_oneshot": True}, {"use_oneshot": True}),
        ("size_check_renamed_hint", "mnnvl", {"prefer_oneshot": True}, {"strategy": None}),
    ],
)
def test_size_check_takes_its_own_hint_only(
    in_stub: InStub, name: str, backend: str, good: dict[str, Any], bad: dict[str, Any]
) -> None:
    def ask(child: Child) -> list[str]:
        check = create(child, backend).is_buffer_size_sufficient
        return [outcome(check, 4, 8, 64, BF16, **hint) for hint in ({}, good, bad)]

    assert in_stub(name, ask) == ["ok", "ok", "TypeError"]


@pytest.mark.parametrize(
    ("name", "oneshot", "twoshot"),
    [
        ("use_oneshot_only", {"use_oneshot": True}, {"use_oneshot": False}),
        ("size_check_renamed_hint", {"prefer_oneshot": True}, {"prefer_oneshot": False}),
        ("strategy_string", {"strategy": "oneshot"}, {"strategy": "twoshot"}),
    ],
)
def test_size_check_means_what_the_hint_says(
    in_stub: InStub, name: str, oneshot: dict[str, Any], twoshot: dict[str, Any]
) -> None:
    """Made for 64 x 64, a buffer has 698,368 bytes: 2000 x 64 needs 1,024,000 or 512,000."""

    def ask(child: Child) -> list[bool]:
        check = create(child, "mnnvl").is_buffer_size_sufficient
        return [check(4, 2000, 64, BF16, **hint) for hint in (oneshot, twoshot)]

    assert in_stub(name, ask) == [False, True]


def test_strategy_string_refuses_other_words(in_stub: InStub) -> None:
    def ask(child: Child) -> str:
        check = create(child, "mnnvl").is_buffer_size_sufficient
        return outcome(check, 4, 8, 64, BF16, strategy="ONESHOT")

    assert in_stub("strategy_string", ask) == "ValueError"


@pytest.mark.parametrize(
    ("name", "backend", "gone", "there"),
    [
        ("size_check_missing", "trtllm", "is_buffer_size_sufficient", "destroy"),
        ("size_check_missing", "mnnvl", "is_buffer_size_sufficient", "destroy"),
        ("metadata_missing", "trtllm", "metadata", "workspace_tensor"),
        ("backend_renamed", "trtllm", "backend", "backend_name"),
        ("backend_renamed", "mnnvl", "backend", "backend_name"),
        ("destroy_missing", "trtllm", "destroy", "is_buffer_size_sufficient"),
        ("destroy_missing", "mnnvl", "destroy", "is_buffer_size_sufficient"),
    ],
)
def test_what_is_missing_is_missing(
    in_stub: InStub, name: str, backend: str, gone: str, there: str
) -> None:
    def ask(child: Child) -> list[bool]:
        workspace = create(child, backend)
        answers = [hasattr(workspace, each) for each in (gone, there)]
        workspace._destroyed = True
        return answers

    assert in_stub(name, ask) == [False, True]


@pytest.mark.parametrize("name", ["metadata_missing", "metadata_renamed"])
def test_size_check_works_without_the_usual_metadata(in_stub: InStub, name: str) -> None:
    def ask(child: Child) -> list[Any]:
        workspace = create(child, "trtllm")
        check = workspace.is_buffer_size_sufficient
        known = "max_token_num" in getattr(workspace, "metadata", {})
        return [check(4, 64, 64, BF16), check(4, 65, 64, BF16), known]

    assert in_stub(name, ask) == [True, False, False]


def test_destroy_missing_frees_when_collected(in_stub: InStub) -> None:
    def ask(child: Child) -> list[int]:
        workspace = create(child, "mnnvl")
        workspace.is_buffer_size_sufficient(4, 64, 64, BF16)
        before = child.core.live_handles()
        del workspace
        return [before, child.core.live_handles()]

    assert in_stub("destroy_missing", ask) == [1, 0]


def test_create_returns_none_but_still_binds(in_stub: InStub) -> None:
    def ask(child: Child) -> list[Any]:
        return [create(child, "trtllm"), outcome(create, child, "trtllm", topology="x")]

    assert in_stub("create_returns_none", ask) == [None, "TypeError"]


def test_positional_only(in_stub: InStub) -> None:
    def ask(child: Child) -> list[Any]:
        comm = child.load("flashinfer.comm.mnnvl").TorchDistBackend(None)
        make = child.comm.create_allreduce_fusion_workspace
        workspace = make("trtllm", 4, 0, 64, 64, BF16, None, comm)
        rows = torch.ones(8, 64, dtype=BF16)
        reduced = child.comm.allreduce_fusion(rows, workspace, 0)
        named = outcome(child.comm.allreduce_fusion, input=rows, workspace=workspace, pattern=0)
        return [float(reduced[0, 0]), named, outcome(create, child, "trtllm")]

    assert in_stub("positional_only", ask) == [4.0, "TypeError", "TypeError"]


def test_keyword_only(in_stub: InStub) -> None:
    def ask(child: Child) -> list[str]:
        workspace = create(child, "mnnvl")
        rows = torch.ones(8, 64, dtype=BF16)
        return [
            outcome(child.comm.allreduce_fusion, rows, workspace, 0),
            outcome(workspace.is_buffer_size_sufficient, 4, 8, 64, BF16),
        ]

    assert in_stub("keyword_only", ask) == ["TypeError", "TypeError"]


def test_symbols_moved(in_stub: InStub) -> None:
    """The package exports what it did; the modules behind it have gone or lost their names."""

    def ask(child: Child) -> list[Any]:
        backend = child.comm.TorchDistBackend(None)
        workspace = child.comm.create_allreduce_fusion_workspace(
            "mnnvl", 4, 0, 64, 64, BF16, comm_backend=backend
        )
        rows = torch.ones(8, 64, dtype=BF16)
        reduced = child.comm.allreduce_fusion(rows, workspace, 0)
        gone = ("allreduce", "trtllm_ar", "trtllm_mnnvl_ar", "comm_backend")
        return [
            float(reduced[0, 0]),
            *(outcome(child.load, f"flashinfer.comm.{module}") for module in gone),
            hasattr(child.load("flashinfer.comm.mnnvl"), "TorchDistBackend"),
        ]

    assert in_stub("symbols_moved", ask) == [4.0, *["ModuleNotFoundError"] * 4, False]
