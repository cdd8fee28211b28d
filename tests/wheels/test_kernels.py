from __future__ import annotations

from typing import Any

import pytest
import torch

from driftgate.wheels.kernels import KernelModule, KernelRefusedError
from driftgate.wheels.machine import Device, Machine, Peers
from driftgate.wheels.table import Kernel

TRTLLM = "trtllm_allreduce_fusion"
PARAMETERS = [
    "allreduce_in",
    "world_size",
    "world_rank",
    "token_num",
    "hidden_dim",
    "workspace_ptrs",
    "launch_with_pdl",
    "use_oneshot",
    "trigger_completion_at_end",
    "fp32_acc",
    "pattern_code",
    "allreduce_out",
    "residual_in",
    "residual_out",
    "norm_out",
    "quant_out",
    "scale_out",
    "rms_gamma",
    "rms_eps",
    "scale_factor",
    "layout_code",
]


class Bench:
    """A machine of two peers that hold equal tensors, a workspace on it, and its kernels."""

    def __init__(self) -> None:
        self.machine = Machine()
        self.events: list[tuple[str, str, dict[str, Any]]] = []
        self.machine.subscribe(lambda *event: self.events.append(event))
        peers = Peers((4, 6), "comm_backend", None, lambda mine: [mine, mine])
        self.regions = [self.machine.reserve(8192, stride=4096) for _ in range(3)]
        for region in self.regions:
            region.peers = peers
        flag = self.machine.reserve(20)
        addresses = [base for region in self.regions for base in (region.base, region.base + 4096)]
        self.pointers = torch.tensor([*addresses, flag.base])
        rows = {TRTLLM: Kernel(tuple(PARAMETERS), (2, 4))}
        self.kernels = KernelModule(self.machine, rows).build_and_load()

    def call(self, **changes: Any) -> None:
        """Reduce ``[1, 8]`` ones in float32, or what ``changes`` say."""
        values: dict[str, Any] = dict.fromkeys(PARAMETERS)
        values.update(
            allreduce_in=torch.ones(8),
            world_size=2,
            world_rank=0,
            token_num=1,
            hidden_dim=8,
            workspace_ptrs=self.pointers,
            use_oneshot=True,
            pattern_code=0,
            allreduce_out=torch.zeros(8),
        )
        values.update(changes)
        self.kernels.trtllm_allreduce_fusion(*values.values())


def test_the_sum_is_over_the_peers_of_the_memory() -> None:
    """Two peers that hold one each make two, and the event names them."""
    bench, out = Bench(), torch.zeros(8)

    bench.call(allreduce_out=out)

    assert out.tolist() == [2.0] * 8
    kind, name, data = bench.events[-1]
    assert (kind, name) == ("kernel", TRTLLM)
    assert data["ranks"] == [4, 6]


def test_the_norm_of_a_row_worked_by_hand() -> None:
    """(1 + 1) + 1 is 3 everywhere; its root mean square is 3, so the norm is the weight."""
    bench, norm, residual = Bench(), torch.zeros(8), torch.zeros(8)

    bench.call(
        pattern_code=1,
        residual_in=torch.ones(8),
        residual_out=residual,
        norm_out=norm,
        rms_gamma=torch.full((8,), 0.5),
        rms_eps=0.0,
    )

    assert residual.tolist() == [3.0] * 8
    assert norm.tolist() == [0.5] * 8


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"world_size": 4}, "7 workspace pointers, expected 13"),
        ({"world_rank": 2}, "rank 2 of 2"),
        ({"allreduce_out": None}, "allreduce_out is None"),
        ({"allreduce_out": torch.zeros(7)}, "allreduce_out has 7 elements, expected 8"),
        ({"allreduce_out": torch.zeros(8).half()}, "the input is torch.float32"),
        ({"allreduce_out": torch.zeros(16)[::2]}, "allreduce_out is not contiguous"),
        ({"pattern_code": 1}, "rms_gamma is None"),
        ({"allreduce_in": torch.ones(8).double()}, "unsupported dtype float64"),
        ({"token_num": 2, "hidden_dim": 3, "allreduce_in": torch.ones(6)}, "not whole 16-byte"),
        # Three Lamport buffers of 2 ranks x 22 rows x 8 x 4 bytes are 4224 bytes of 4096.
        ({"token_num": 22, "allreduce_in": torch.ones(176)}, "the kernel writes 4224"),
        # Two copies of 65 rows x 8 x 4 bytes are 4160 bytes of 4096.
        (
            {"token_num": 65, "allreduce_in": torch.ones(520), "use_oneshot": False},
            "the kernel writes 4160",
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_would_harm_is_refused(changes: dict[str, Any], problem: str) -> None:
    """The problem is in the exception and in the event, for consumers that swallow the former."""
    bench = Bench()

    with pytest.raises(KernelRefusedError, match=problem):
        bench.call(**changes)

    kind, _, data = bench.events[-1]
    assert kind == "kernel-refused"
    assert any(problem in text for text in data["problems"])


def test_memory_that_is_shared_with_fewer_is_refused() -> None:
    """Two peers met; the kernel would read four."""
    bench = Bench()
    table = torch.tensor([*[bench.regions[0].base] * 12, bench.pointers[-1]])

    with pytest.raises(KernelRefusedError, match="shared with 2 ranks, the kernel is told 4"):
        bench.call(world_size=4, workspace_ptrs=table)


def test_a_lamport_area_is_initialised_within_its_allocation() -> None:
    """1,024 floats fill a part; one more does not fit."""
    bench = Bench()
    bench.kernels.trtllm_lamport_initialize(bench.regions[2].base, 1024, torch.float32)

    with pytest.raises(KernelRefusedError, match="no live allocation"):
        bench.kernels.trtllm_lamport_initialize(bench.regions[2].base, 1025, torch.float32)


def test_a_parameter_that_the_table_does_not_know_is_refused() -> None:
    """A future release that passes more must not be misread."""
    bench = Bench()

    with pytest.raises(KernelRefusedError, match="22 arguments, and the seam knows 21"):
        bench.kernels.trtllm_allreduce_fusion(*range(22))


def test_a_pattern_without_reference_is_not_made_up() -> None:
    """It reached the kernel, which the event says; there is no result."""
    bench = Bench()

    with pytest.raises(NotImplementedError, match="pattern 2"):
        bench.call(
            pattern_code=2,
            rms_gamma=torch.ones(8),
            **dict.fromkeys(("residual_in", "residual_out", "norm_out"), torch.ones(8)),
        )

    assert bench.events[-1][2]["pattern"] == 2


def test_a_kernel_fault_can_be_switched_on() -> None:
    """While the machine runs."""
    bench = Bench()
    bench.machine.configure(Device(faults=frozenset({"kernel_raises"})))

    with pytest.raises(RuntimeError, match="illegal memory access"):
        bench.call()


def test_freed_handles_are_counted_once() -> None:
    """A handle that a peer exported is not ours to free."""
    machine, events = Machine(), []
    machine.subscribe(lambda kind, _symbol, data: events.append((kind, data)))
    handle = machine.allocate("x", 100)
    machine.release("x", handle)
    machine.release("x", handle)

    assert events == [
        ("alloc", {"handle": handle, "bytes": 100}),
        ("free", {"handle": handle, "bytes": 100}),
    ]
    assert machine.live_handles() == 0
