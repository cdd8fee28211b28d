"""A small ``flashinfer.comm`` of the newest shape, for tests that change one thing about it.

Written from the upstream's documented behaviour, apart from the stub tree, so that the two do not
share mistakes.
"""

from __future__ import annotations

import functools
import math
import sys
from dataclasses import dataclass, field
from enum import Enum
from types import ModuleType
from typing import TYPE_CHECKING, Any

import torch
import torch.distributed as dist

if TYPE_CHECKING:
    import pytest

THRESHOLD = 64 * 1024 * 8 * 2


class Strategy(Enum):
    ONESHOT = 0
    TWOSHOT = 1
    AUTO = 99


class Patterns:
    kAllReduce = 0  # noqa: N815 - the upstream's name
    kARResidualRMSNorm = 1  # noqa: N815 - the upstream's name


class TrtllmWorkspace:
    backend = "trtllm"

    def __init__(self, upstream: FakeUpstream, made: dict[str, Any]) -> None:
        self._upstream = upstream
        self.metadata: Any = {
            "tp_size": made["world_size"],
            "max_token_num": made["max_token_num"],
            "hidden_dim": made["hidden_dim"],
            "use_fp32_lamport": made["dtype"] == torch.float32,
        }

    def is_buffer_size_sufficient(
        self,
        tp_size: int,
        num_tokens: int,
        hidden_dim: int,
        dtype: torch.dtype,
        use_oneshot: bool | None = None,
    ) -> bool:
        self._upstream.checks.append((num_tokens, hidden_dim, dtype, use_oneshot))
        made = self.metadata
        fits: bool = (
            tp_size == made["tp_size"]
            and num_tokens * hidden_dim <= made["max_token_num"] * made["hidden_dim"]
            and made["use_fp32_lamport"] == (dtype == torch.float32)
        )
        if not fits:
            self._upstream.warnings += 1
        return fits

    def destroy(self) -> None:
        self._upstream.destroyed += 1


class MnnvlWorkspace:
    backend = "mnnvl"

    def __init__(self, upstream: FakeUpstream, made: dict[str, Any]) -> None:
        self._upstream = upstream
        ranks, tokens, hidden = made["world_size"], made["max_token_num"], made["hidden_dim"]
        row = hidden * made["dtype"].itemsize
        oneshot_tokens = min(THRESHOLD // (ranks * row), tokens)
        self.buffer_size_bytes = max(
            oneshot_tokens * row * ranks, 2 * math.ceil(tokens / ranks) * ranks * row
        )
        if made["force_oneshot_support"]:
            self.buffer_size_bytes = tokens * row * ranks
        self.mc_ptr = upstream.multicast_pointer

    @functools.cache  # noqa: B019 - as the upstream does
    def is_buffer_size_sufficient(
        self,
        tp_size: int,
        num_tokens: int,
        hidden_dim: int,
        dtype: torch.dtype,
        strategy: Strategy = Strategy.AUTO,
    ) -> bool:
        self._upstream.checks.append((num_tokens, hidden_dim, dtype, strategy))
        row = hidden_dim * dtype.itemsize
        if strategy is Strategy.AUTO:
            small = num_tokens * row * tp_size <= THRESHOLD
            strategy = Strategy.ONESHOT if small else Strategy.TWOSHOT
        if strategy is Strategy.ONESHOT:
            need = num_tokens * row * tp_size
        else:
            need = 2 * math.ceil(num_tokens / tp_size) * tp_size * row
        return bool(need <= self.buffer_size_bytes)

    def destroy(self) -> None:
        self._upstream.destroyed += 1


class TorchDistBackend:
    def __init__(self, group: Any = None) -> None:
        self._group = group

    def bcast(self, data: Any, root: int) -> Any:
        box = [data]
        dist.broadcast_object_list(box, src=root, group=self._group)
        return box[0]


@dataclass
class FakeUpstream:
    """What the fake was asked, and what it shall do.

    Attributes:
        comm: The ``flashinfer.comm`` module; tests replace what they are about.
        created: Arguments of each creation.
        kernels: Arguments of each all-reduce.
        checks: ``(tokens, hidden, dtype, hint)`` of each size check that reached a validator.
        warnings: Refusals that the real TRT-LLM validator would have logged.
        destroyed: Workspaces destroyed.
        error: Raised by creation, if set.
        multicast_pointer: Of MNNVL workspaces.
    """

    comm: Any = None
    created: list[dict[str, Any]] = field(default_factory=list)
    kernels: list[dict[str, Any]] = field(default_factory=list)
    checks: list[tuple[int, int, torch.dtype, Any]] = field(default_factory=list)
    warnings: int = 0
    destroyed: int = 0
    error: Exception | None = None
    multicast_pointer: int = 4096

    def create(
        self,
        backend: str = "auto",
        world_size: int | None = None,
        rank: int | None = None,
        max_token_num: int | None = None,
        hidden_dim: int | None = None,
        dtype: torch.dtype | None = None,
        gpus_per_node: int | None = None,
        comm_backend: Any = None,
        force_oneshot_support: bool = False,
        group: Any = None,
    ) -> Any:
        made = {name: value for name, value in locals().items() if name != "self"}
        self.created.append(made)
        if self.error is not None:
            raise self.error
        return {"trtllm": TrtllmWorkspace, "mnnvl": MnnvlWorkspace}[backend](self, made)

    def all_reduce(
        self,
        input: torch.Tensor,  # noqa: A002 - the upstream's name
        workspace: Any,
        pattern: int,
        launch_with_pdl: bool = False,
        trigger_completion_at_end: bool = True,
        output: torch.Tensor | None = None,
        residual_out: torch.Tensor | None = None,
        norm_out: torch.Tensor | None = None,
        residual_in: torch.Tensor | None = None,
        rms_gamma: torch.Tensor | None = None,
        rms_eps: float = 1e-6,
        use_oneshot: bool | None = None,
        fp32_acc: bool = False,
    ) -> Any:
        self.kernels.append({name: value for name, value in locals().items() if name != "self"})
        ranks = self.created[-1]["world_size"]
        if output is not None:
            return output.copy_(input * ranks)
        assert residual_out is not None
        assert residual_in is not None
        assert norm_out is not None
        assert rms_gamma is not None
        residual_out.copy_(input * ranks + residual_in)
        rows = residual_out.float()
        scale = torch.rsqrt(rows.pow(2).mean(-1, keepdim=True) + rms_eps)
        return norm_out.copy_(rows * scale * rms_gamma)


def install(monkeypatch: pytest.MonkeyPatch) -> FakeUpstream:
    """Put a fake of the newest shape where ``import flashinfer.comm`` finds it."""
    upstream = FakeUpstream()
    package, comm, mnnvl = (
        ModuleType(name) for name in ("flashinfer", "flashinfer.comm", "flashinfer.comm.mnnvl")
    )
    symmetric = ModuleType("flashinfer.comm.torch_symmetric_memory")
    package.__path__ = []
    comm.__path__ = []
    package.__version__ = "9.9.9"  # type: ignore[attr-defined]
    package.comm = comm  # type: ignore[attr-defined]
    mnnvl.TorchDistBackend = TorchDistBackend  # type: ignore[attr-defined]
    comm.create_allreduce_fusion_workspace = upstream.create  # type: ignore[attr-defined]
    comm.allreduce_fusion = upstream.all_reduce  # type: ignore[attr-defined]
    comm.AllReduceFusionPattern = Patterns  # type: ignore[attr-defined]
    upstream.comm = comm
    for module in (package, comm, mnnvl, symmetric):
        monkeypatch.setitem(sys.modules, module.__name__, module)
    # Where the MNNVL class is defined, its threshold is too.
    monkeypatch.setattr(sys.modules[__name__], "MNNVL_ONE_SHOT_THRESHOLD", THRESHOLD, raising=False)
    return upstream


def uninstall(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make sure that no flashinfer is found at all."""
    for name in list(sys.modules):
        if name == "flashinfer" or name.startswith("flashinfer."):
            monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr(sys, "path", [])
