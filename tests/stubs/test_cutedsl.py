"""The CuTe DSL backend: exact match, own creation keywords, own refusals."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
import torch

from stubs.children import outcome

if TYPE_CHECKING:
    from stubs.children import Child, InStub

BF16 = torch.bfloat16


def create(child: Child, hidden: int = 8192, **options: Any) -> Any:
    options = {"comm_backend": None, **options}
    return child.create("mnnvl-cutedsl", 64, hidden, **options)


def test_hidden_size_and_dtype_match_exactly(in_stub: InStub) -> None:
    def ask(child: Child) -> list[bool]:
        check = create(child).is_buffer_size_sufficient
        return [
            check(4, 64, 8192, BF16),
            check(4, 65, 8192, BF16),
            check(4, 1, 4096, BF16),
            check(4, 1, 8192, torch.float16),
            check(8, 1, 8192, BF16),
        ]

    assert in_stub("v0_7_4", ask, sm=100) == [True, False, False, False, False]


def test_creation_refuses_what_the_backend_does_not_use(in_stub: InStub) -> None:
    def ask(child: Child) -> list[str]:
        return [
            outcome(create, child),
            outcome(create, child, gpus_per_node=4),
            outcome(create, child, comm_backend=object()),
            outcome(create, child, force_oneshot_support=True),
            outcome(create, child, dtype=torch.float16),
            outcome(create, child, hidden=1024),
            outcome(create, child, rms_eps=1e-5, top_k=10),
        ]

    assert in_stub("v0_7_2_post1", ask, sm=100) == ["ok", *["ValueError"] * 5, "ok"]


@pytest.mark.parametrize(("sm", "multicast"), [(90, True), (100, False)])
def test_creation_needs_blackwell_and_multicast(in_stub: InStub, sm: int, multicast: bool) -> None:
    def ask(child: Child) -> tuple[str, bool]:
        supported = child.comm.is_mnnvl_cutedsl_supported(4, 8192, BF16, max_token_num=64)
        return outcome(create, child), supported

    assert in_stub("v0_7_4", ask, sm=sm, multicast=multicast) == ("RuntimeError", False)


def test_a_call_must_be_the_one_that_was_compiled(in_stub: InStub) -> None:
    def ask(child: Child) -> list[str]:
        workspace = create(child, rms_eps=1e-5)
        rows = torch.ones(8, 8192, dtype=BF16)
        usual = {
            "input": rows,
            "workspace": workspace,
            "pattern": 1,
            "residual_in": rows,
            "rms_gamma": torch.ones(8192, dtype=BF16),
            "rms_eps": 1e-5,
        }
        fused = child.comm.allreduce_fusion
        return [
            outcome(fused, **usual),
            outcome(fused, **{**usual, "rms_eps": 1e-6}),
            outcome(fused, **{**usual, "use_oneshot": True}),
            outcome(fused, **{**usual, "fp32_acc": True}),
            outcome(fused, **{**usual, "residual_in": None}),
            outcome(fused, **{**usual, "pattern": 0}),
        ]

    assert in_stub("v0_7_4", ask, sm=100) == ["ok", *["ValueError"] * 5]


def test_plain_all_reduce_needs_its_own_workspace_and_release(in_stub: InStub) -> None:
    def ask(child: Child) -> float:
        workspace = create(child, apply_rms_norm=False, add_residual=False)
        rows = torch.ones(8, 8192, dtype=BF16)
        return float(child.comm.allreduce_fusion(rows, workspace, 0)[0, 0])

    assert in_stub("v0_7_4", ask, sm=100) == 4.0


def test_the_class_came_before_create_knew_it(in_stub: InStub) -> None:
    """In 0.6.18 only the class itself makes a workspace, for 8 or 16 ranks of 8192."""

    def ask(child: Child) -> tuple[str, str]:
        module = child.load("flashinfer.comm.mnnvl_cutedsl_ar")
        workspace = module.MNNVLCuteDSLAllReduceFusionWorkspace(8, 0, 64, 8192, BF16)
        return outcome(create, child), workspace.backend

    eight: dict[str, Any] = {"world": 8, "group": tuple(range(8))}
    assert in_stub("v0_6_18", ask, sm=100, **eight) == ("RuntimeError", "mnnvl-cutedsl")
