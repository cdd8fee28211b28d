"""One rank of one check: ``python -m driftgate.gpu.rank CHECK FOLDER RANK RANKS``.

It leaves a file ``answer-RANK`` with what is wrong and what was measured.
"""

from __future__ import annotations

import importlib
import json
import sys
import time
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import torch
import torch.distributed as dist
from torch._C._distributed_c10d import FileStore

import flashinfer_comm_fusion as fusion
from driftgate.drive.engine import Coordinator
from driftgate.drive.logs import Recorder
from driftgate.gpu.timing import time_fused_and_not
from driftgate.ranks.numerics import right_norm, right_residual, right_sum
from driftgate.ranks.peers import held_by

_TOKENS, _HIDDEN = 256, 4096
_EPS = 1e-6
_DTYPES = (torch.bfloat16, torch.float16, torch.float32)
_BACKENDS = ("trtllm", "mnnvl")


@dataclass
class Answer:
    """What one rank found.

    Attributes:
        wrong: One line for each thing that is not as it should be.
        values: What was measured.
    """

    wrong: list[str] = field(default_factory=list)
    values: dict[str, Any] = field(default_factory=dict)


class Engine:
    """This process as a rank of an engine: its device, an NCCL group and a gloo group."""

    def __init__(self, store: Path, rank: int, ranks: int) -> None:
        torch.cuda.set_device(rank)
        self.device = torch.device("cuda", rank)
        self.rank = rank
        self.ranks = ranks
        dist.init_process_group(
            "nccl", store=FileStore(str(store), ranks), rank=rank, world_size=ranks
        )
        everyone = list(range(ranks))
        self.group = Coordinator(
            world_size=ranks,
            rank_in_group=rank,
            device_group=dist.new_group(everyone, backend="nccl"),
            cpu_group=dist.new_group(everyone, backend="gloo"),
        )

    def start(self, backend: str = "auto", dtype: torch.dtype = torch.bfloat16) -> bool:
        """Configure the module for a backend; return whether it is active."""
        fusion.reset()
        fusion.configure(attn_tp_group=self.group, backend=backend)
        return fusion.ensure_workspace_initialized(_TOKENS, _HIDDEN, dtype=dtype)

    def held(self, tokens: int, dtype: torch.dtype) -> list[torch.Tensor]:
        """What every rank holds, on the CPU."""
        return [held_by(rank, (tokens, _HIDDEN), dtype) for rank in range(self.ranks)]

    def mine(self, tokens: int, dtype: torch.dtype) -> torch.Tensor:
        """What this rank holds, on its device."""
        return held_by(self.rank, (tokens, _HIDDEN), dtype).to(self.device)

    def can_use(self, tensor: torch.Tensor) -> bool:
        """Whether the module would fuse an all-reduce of a tensor."""
        return fusion.can_use_flashinfer_allreduce(
            tensor,
            use_attn_tp_group=True,
            expected_world_size=self.ranks,
            expected_group_key=self.group.key,
        )


def imports(engine: Engine, answer: Answer) -> None:
    """Import the upstream through the module."""
    engine.start()
    status = fusion.fusion_status()
    answer.values["upstream"] = status.upstream_version
    if fusion.is_flashinfer_allreduce_unavailable():
        answer.wrong.append(f"unavailable: {status.reason}, {status.detail}")


def kernels_build(_: Engine, answer: Answer) -> None:
    """Load TRT-LLM's kernels as the first creation does."""
    home = importlib.import_module("flashinfer.comm.trtllm_ar")
    started = time.monotonic()
    home.get_trtllm_comm_module()
    answer.values["seconds"] = time.monotonic() - started


def one_rank_is_refused(engine: Engine, answer: Answer) -> None:
    """Ask for a workspace of this rank alone."""
    if engine.start():
        answer.wrong.append("a group of one rank has a workspace")
    reason = fusion.fusion_status().reason
    if reason is not fusion.ReasonCode.SINGLE_RANK:
        answer.wrong.append(f"off for {reason}")


def creates(engine: Engine, answer: Answer) -> None:
    """Make a workspace of each backend."""
    for backend in _BACKENDS:
        active = engine.start(backend)
        status = fusion.fusion_status()
        answer.values[backend] = "active" if active else f"off ({status.reason}): {status.detail}"
        if not active and status.reason is not fusion.ReasonCode.UNSUPPORTED_TOPOLOGY:
            answer.wrong.append(f"{backend}: {answer.values[backend]}")


def fits_what_is_allocated(engine: Engine, answer: Answer) -> None:
    """Run the largest problem that is accepted, which an allocation too small would not survive."""
    for backend in _BACKENDS:
        if not engine.start(backend):
            continue
        for tokens in (1, _TOKENS, 2 * _TOKENS, 8 * _TOKENS):
            tensor = engine.mine(tokens, torch.bfloat16)
            if engine.can_use(tensor):
                fusion.flashinfer_allreduce(tensor, use_attn_tp_group=True)
                torch.cuda.synchronize()
                answer.values[f"{backend} tokens"] = tokens


def is_right(engine: Engine, answer: Answer) -> None:
    """Compare with float64, for every backend and dtype."""
    for backend in _BACKENDS:
        for dtype in _DTYPES:
            if engine.start(backend, dtype):
                for tokens in (1, engine.ranks + 1, _TOKENS):
                    _compare(engine, answer, f"{backend} {dtype} {tokens}", tokens, dtype)


def _compare(engine: Engine, answer: Answer, name: str, tokens: int, dtype: torch.dtype) -> None:
    held, mine = engine.held(tokens, dtype), engine.mine(tokens, dtype)
    residual = held_by(-1, (tokens, _HIDDEN), dtype)
    weight = held_by(-2, (_HIDDEN,), dtype) + 1
    badness = {}
    if engine.can_use(mine):
        total = fusion.flashinfer_allreduce(mine, use_attn_tp_group=True)
        badness["sum"] = right_sum(held).badness(total.cpu())
    norm, before = fusion.flashinfer_allreduce_residual_rmsnorm(
        mine, residual.to(engine.device), weight.to(engine.device), eps=_EPS
    )
    if norm is not None and before is not None:
        badness["residual"] = right_residual(held, residual).badness(before.cpu())
        badness["norm"] = right_norm(held, residual, weight, _EPS).badness(norm.cpu())
    if not badness:
        answer.wrong.append(f"{name}: refused")
    answer.wrong += [f"{name}: {key} {bad:.3g}" for key, bad in badness.items() if bad > 1]
    answer.values[name] = badness


def replays(engine: Engine, answer: Answer) -> None:
    """Capture one all-reduce and replay it with other numbers in its input."""
    if not engine.start():
        answer.wrong.append(f"off: {fusion.fusion_status().detail}")
        return
    tensor = engine.mine(8, torch.bfloat16)
    fusion.flashinfer_allreduce(tensor, use_attn_tp_group=True)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        output = fusion.flashinfer_allreduce(tensor, use_attn_tp_group=True)
    for factor in (1.0, 0.5):
        tensor.copy_(engine.mine(8, torch.bfloat16) * factor)
        graph.replay()
        torch.cuda.synchronize()
        held = [each * factor for each in engine.held(8, torch.bfloat16)]
        badness = right_sum(held).badness(output.cpu())
        answer.values[f"badness at {factor:g}"] = badness
        if badness > 1:
            answer.wrong.append(f"a replay with {factor:g} of the input is off by {badness:.3g}")


def says_nothing(engine: Engine, answer: Answer) -> None:
    """Make a workspace, use it, be refused, and give it back, while all logs are kept."""
    recorder = Recorder()
    with recorder.installed():
        if engine.start():
            small, large = engine.mine(4, torch.bfloat16), engine.mine(64 * _TOKENS, torch.bfloat16)
            if engine.can_use(small):
                fusion.flashinfer_allreduce(small, use_attn_tp_group=True)
            engine.can_use(large)
        fusion.cleanup_flashinfer_workspace()
    answer.wrong += [
        f"{line.logger}: {line.text}"
        for line in recorder.take()
        if line.logger.startswith("flashinfer.") and line.level not in ("DEBUG", "INFO")
    ]


def gives_back(engine: Engine, answer: Answer) -> None:
    """Compare free memory after one workspace's life with that after a second one's."""
    free = []
    for _ in range(2):  # the first life also loads kernels, which stay
        engine.start()
        fusion.cleanup_flashinfer_workspace()
        torch.cuda.synchronize()
        torch.cuda.empty_cache()
        dist.barrier()
        free.append(torch.cuda.mem_get_info()[0])
    lost = free[0] - free[1]
    answer.values["bytes lost a life"] = lost
    if lost > 0:
        answer.wrong.append(f"{lost} bytes are not given back")


def is_worth_it(engine: Engine, answer: Answer) -> None:
    """Time a fused call and what it stands for."""
    if engine.start():
        answer.values = time_fused_and_not(engine.group.device_group, engine.device, _HIDDEN)


_CHECKS = {
    check.__name__: check
    for check in (
        imports,
        kernels_build,
        one_rank_is_refused,
        creates,
        fits_what_is_allocated,
        is_right,
        replays,
        says_nothing,
        gives_back,
        is_worth_it,
    )
}


def main(check: str, folder: str, rank: str, ranks: str) -> None:
    """Run one check as one rank and leave its answer."""
    place = Path(folder)
    engine = Engine(place / "store", int(rank), int(ranks))
    answer = Answer()
    _CHECKS[check](engine, answer)
    fusion.reset()
    (place / f"answer-{rank}").write_text(json.dumps(asdict(answer)), encoding="utf-8")
    dist.destroy_process_group()


if __name__ == "__main__":
    main(*sys.argv[1:])
