"""Which backend is made, over which peers it meets, and what it then computes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
import torch

from stubs.children import outcome

if TYPE_CHECKING:
    from stubs.children import Child, InStub

SUBGROUP: dict[str, Any] = {"world": 4, "group": (2, 3)}
BF16 = torch.bfloat16


def over_own_backend(child: Child, backend: str) -> Any:
    """Create over a TorchDistBackend whose broadcast has no wrong root."""
    base: Any = child.backend_class()

    class Right(base):  # type: ignore[misc]
        def bcast(self, data: Any, root: int) -> Any:
            return data

    return child.create(backend, 64, 64, comm_backend=Right(child.group))


@pytest.mark.parametrize(
    ("name", "backend", "over", "ranks"),
    [
        ("v0_6_8", "trtllm", "comm_backend", [2, 3]),
        ("v0_6_8", "mnnvl", "comm_backend", [2, 3]),
        ("v0_6_10", "trtllm", "world", [0, 1, 2, 3]),
        ("v0_6_10", "mnnvl", "group", [2, 3]),
        ("v0_6_10_post1", "trtllm", "group", [2, 3]),
        ("v0_6_13", "trtllm", "group", [2, 3]),
        ("v0_6_13", "mnnvl", "group", [2, 3]),
        ("v0_6_15", "trtllm", "comm_backend", [2, 3]),
        ("v0_7_4", "mnnvl", "comm_backend", [2, 3]),
    ],
)
def test_a_strict_subgroup_meets_over(
    in_stub: InStub, name: str, backend: str, over: str, ranks: list[int]
) -> None:
    def ask(child: Child) -> list[dict[str, Any]]:
        over_own_backend(child, backend)
        return child.seen("rendezvous")

    buffers = 3 if backend == "trtllm" else 1
    met = [{"backend": backend, "over": over, "ranks": ranks}] * buffers
    assert met == in_stub(name, ask, **SUBGROUP)


def test_without_group_trtllm_meets_over_world(in_stub: InStub) -> None:
    def ask(child: Child) -> list[int]:
        child.create("trtllm", 64, 64, group=None, comm_backend=None)
        return list(child.seen("rendezvous")[0]["ranks"])

    assert in_stub("v0_6_12", ask, **SUBGROUP) == [0, 1, 2, 3]
    assert in_stub("v0_7_4", ask, **SUBGROUP) == [0, 1, 2, 3]


def test_another_kind_of_comm_backend_is_passed_over_from_0_6_10_to_0_6_14(
    in_stub: InStub,
) -> None:
    """MNNVL takes the group only from a TorchDistBackend there."""

    def ask(child: Child) -> list[int]:
        class Foreign:
            def __getattr__(self, name: str) -> Any:
                return {"Get_rank": lambda: 0, "Get_size": lambda: 2, "barrier": lambda: None}.get(
                    name, lambda *_, **__: None
                )

        child.create("mnnvl", 64, 64, comm_backend=Foreign())
        return list(child.seen("rendezvous")[0]["ranks"])

    assert in_stub("v0_6_12", ask, **SUBGROUP) == [0, 1, 2, 3]


def test_mnnvl_without_comm_backend_turns_to_mpi(in_stub: InStub) -> None:
    def ask(child: Child) -> str:
        return outcome(child.create, "mnnvl", 64, 64, comm_backend=None)

    for name in ("v0_6_8", "v0_6_12", "v0_7_4"):
        assert in_stub(name, ask) == "ImportError"


@pytest.mark.parametrize(("name", "expected"), [("v0_6_12", "ValueError"), ("v0_6_13", "ok")])
def test_bcast_took_a_local_root_for_a_global_one_up_to_0_6_12(
    in_stub: InStub, name: str, expected: str
) -> None:
    def ask(child: Child) -> str:
        return outcome(child.backend_class()(child.group).bcast, "x", 0)

    assert expected == in_stub(name, ask, **SUBGROUP)


@pytest.mark.parametrize(
    ("name", "multicast", "ranks", "expected"),
    [
        ("v0_6_12", True, 4, "mnnvl"),
        ("v0_6_12", False, 4, "mnnvl"),
        ("v0_6_16", True, 4, "mnnvl"),
        ("v0_6_16", False, 4, "trtllm"),
    ],
)
def test_auto(in_stub: InStub, name: str, multicast: bool, ranks: int, expected: str) -> None:
    """Multicast counts from 0.6.16."""

    def ask(child: Child) -> str:
        return str(child.create("auto", 64, 64).backend)

    group = tuple(range(ranks))
    assert expected == in_stub(name, ask, world=ranks, group=group, multicast=multicast)


def test_auto_finds_nothing_for_32_ranks_without_multicast(in_stub: InStub) -> None:
    def ask(child: Child) -> str:
        return outcome(child.create, "auto", 64, 64)

    everyone = tuple(range(32))
    assert in_stub("v0_6_16", ask, world=32, group=everyone, multicast=False) == "ValueError"


def test_what_no_shape_takes(in_stub: InStub) -> None:
    """An unknown backend, a keyword that is nobody's, one that came later, another's option."""

    def ask(child: Child) -> list[str]:
        return [
            outcome(child.create, "nccl", 64, 64),
            outcome(child.create, "trtllm", 64, 64, use_fp32_lamport=True),
            outcome(child.create, "trtllm", 64, 64, top_k=4),
            outcome(child.create, "mnnvl-cutedsl", 64, 64),
        ]

    assert in_stub("v0_6_12", ask) == ["RuntimeError", "TypeError", "TypeError", "RuntimeError"]
    assert in_stub("v0_7_4", ask)[:3] == ["RuntimeError", "TypeError", "ValueError"]


@pytest.mark.parametrize("backend", ["trtllm", "mnnvl"])
@pytest.mark.parametrize("name", ["v0_6_0", "v0_6_10_post1", "v0_6_18", "v0_7_4"])
def test_numerics_are_those_of_plain_torch(in_stub: InStub, name: str, backend: str) -> None:
    """Every peer is taken to hold this rank's rows: a sum over two is twice the rows."""

    half_ulp = 2.0**-8  # of bfloat16, relative

    def excess(got: torch.Tensor, exact: torch.Tensor, tolerance: float) -> float:
        return float(((got.double() - exact).abs() - tolerance * exact.abs()).max())

    def ask(child: Child) -> tuple[float, float, bool, bool]:
        torch.manual_seed(0)
        rows, residual = torch.randn(2, 8, 64, dtype=torch.float64).to(BF16)
        gamma = torch.randn(64).to(BF16)
        workspace = over_own_backend(child, backend)
        before, normed = torch.empty_like(rows), torch.empty_like(rows)
        returned = child.comm.allreduce_fusion(
            input=rows,
            workspace=workspace,
            pattern=child.comm.AllReduceFusionPattern.kARResidualRMSNorm,
            residual_in=residual,
            residual_out=before,
            norm_out=normed,
            rms_gamma=gamma,
            rms_eps=1e-5,
            use_oneshot=True,
        )
        plain = child.comm.allreduce_fusion(
            input=rows, workspace=workspace, pattern=child.comm.AllReduceFusionPattern.kAllReduce
        )
        exact = 2 * rows.double() + residual.double()
        norm = torch.nn.functional.rms_norm(exact, (64,), gamma.double(), eps=1e-5)
        return (
            excess(before, exact, half_ulp),
            excess(normed, norm, half_ulp * 1.01),  # float32 before the rounding
            bool((plain == 2 * rows).all()),
            returned is normed,
        )

    residual_error, norm_error, plain_is_right, same_tensor = in_stub(name, ask, **SUBGROUP)

    assert residual_error <= 0
    assert norm_error <= 0
    assert plain_is_right
    assert same_tensor


def test_weight_bias_is_added_to_gamma(in_stub: InStub) -> None:
    """Rows of ones, zero residual, gamma 0, bias 1: the norm is 1 but for eps."""

    def ask(child: Child) -> float:
        rows = torch.ones(8, 64)
        workspace = child.create("trtllm", 64, 64, dtype=torch.float32)
        normed = child.comm.allreduce_fusion(
            input=rows,
            workspace=workspace,
            pattern=1,
            residual_in=torch.zeros_like(rows),
            residual_out=torch.empty_like(rows),
            norm_out=torch.empty_like(rows),
            rms_gamma=torch.zeros(64),
            rms_eps=0.0,
            weight_bias=1.0,
        )
        return float((normed - 1).abs().max())

    assert in_stub("v0_7_4", ask) < 1e-6


def test_a_wrong_rendezvous_is_a_wrong_sum(in_stub: InStub) -> None:
    """On the shape that meets over WORLD whatever is sent, two ranks get the sum of four."""

    def ask(child: Child) -> float:
        workspace = over_own_backend(child, "trtllm")
        rows = torch.ones(8, 64, dtype=BF16)
        return float(child.comm.allreduce_fusion(rows, workspace, 0)[0, 0])

    assert in_stub("v0_6_10", ask, **SUBGROUP) == 4.0
    assert in_stub("v0_6_8", ask, **SUBGROUP) == 2.0
