"""What the decision costs on a warm path, beside the stub's validator called directly.

``python benchmarks/decision.py [STUB]`` prints, for each backend, nanoseconds a call of
``can_use_flashinfer_allreduce`` and of the workspace's own ``is_buffer_size_sufficient``, measured
by turns in one run, and their ratio. The best of many rounds is taken: what is asked is the cost
of the code, not of the machine's other work.
"""

from __future__ import annotations

import argparse
import importlib
import sys
import timeit
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
import torch.distributed as dist
from torch.testing._internal.distributed.fake_pg import FakeStore

import flashinfer_comm_fusion as fusion
from flashinfer_comm_fusion.engine import live_gate

if TYPE_CHECKING:
    from collections.abc import Callable

STUBS = Path(__file__).parents[1] / "stubs"
RANKS = 4
ROUNDS = 40
CALLS = 5_000


class Group:
    """All ranks of a fake WORLD."""

    world_size = RANKS
    rank_in_group = 0

    def __init__(self) -> None:
        self.device_group = dist.new_group(list(range(RANKS)))
        self.cpu_group = dist.new_group(list(range(RANKS)))


def best(calls: list[Callable[[], object]]) -> list[float]:
    """Nanoseconds a call of each, the best of all rounds."""
    timers = [timeit.Timer(call) for call in calls]
    rounds = [[timer.timeit(CALLS) for timer in timers] for _ in range(ROUNDS)]
    return [min(column) / CALLS * 1e9 for column in zip(*rounds, strict=True)]


def measure(backend: str, group: Group, core: Any) -> None:  # noqa: ANN401 - a stub's module
    """Print one backend's rows: an input that fits, and one that does not."""
    core.configure(core.Settings(sm=100))
    fusion.configure(
        attn_tp_group=group,
        backend=backend,
        topology=fusion.Topology(sm=100),
        is_capturing=lambda: False,
    )
    fusion.ensure_workspace_initialized(256, 8192, dtype=torch.bfloat16)
    key = (group.device_group, group.cpu_group)
    gate = live_gate(use_attn_tp_group=True)
    if gate is None:
        raise SystemExit(f"{backend}: {fusion.fusion_status().detail}")
    workspace = gate.workspace

    for label, tokens in (("fits", 64), ("does not", 4096)):
        tensor = torch.empty(tokens, 8192, dtype=torch.bfloat16)

        def decide(tensor: torch.Tensor = tensor) -> bool:
            return fusion.can_use_flashinfer_allreduce(
                tensor,
                use_attn_tp_group=True,
                expected_world_size=RANKS,
                expected_group_key=key,
            )

        def validate(tokens: int = tokens) -> bool:
            answer: bool = workspace.is_buffer_size_sufficient(
                tp_size=RANKS, num_tokens=tokens, hidden_dim=8192, dtype=torch.bfloat16
            )
            return answer

        # A refusal of TRT-LLM's validator is a log record; asking for thousands is no use.
        calls: list[Callable[[], object]] = [decide]
        if (backend, label) != ("trtllm", "does not"):
            calls.append(validate)
        ours, *theirs = best(calls)
        beside = f"{theirs[0]:8.0f} {ours / theirs[0]:6.1f}" if theirs else f"{'-':>8} {'-':>6}"
        print(f"{backend:8} {label:9} {ours:8.0f} {beside}")


def main() -> None:
    """Run the measurement over one stub."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("stub", nargs="?", default="v0_7_4", help="a folder of stubs/")
    stub = parser.parse_args().stub
    sys.path[:0] = [str(STUBS / stub), str(STUBS / "_core")]
    core = importlib.import_module("driftgate_stub_core")
    torch.set_num_threads(1)
    dist.init_process_group("fake", rank=0, world_size=RANKS, store=FakeStore())
    print(f"{'backend':8} {'input':9} {'ns ours':>8} {'ns valid':>8} {'ratio':>6}   ({stub})")
    group = Group()
    for backend in ("trtllm", "mnnvl"):
        measure(backend, group, core)
    fusion.reset()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
