"""What the kernel call itself would reject, although the size check accepts it.

This is apart from size: a validator knows bytes, not which rank counts a table lists or which
rows a vector load can read. Everything here is equal on all ranks of a group.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import torch

from flashinfer_comm_fusion.capabilities import attribute
from flashinfer_comm_fusion.topology import CUTEDSL, MNNVL, TRTLLM

if TYPE_CHECKING:
    from flashinfer_comm_fusion.capabilities import Capabilities

_FLOATS: Final = frozenset({torch.float16, torch.bfloat16, torch.float32})
_DTYPES: Final = {
    TRTLLM: _FLOATS,
    MNNVL: _FLOATS,
    CUTEDSL: frozenset({torch.bfloat16}),
}
# Kernels read rows in vectors of 16 bytes, and fail on a row that is no whole number of them.
_VECTOR_BYTES: Final = 16
# The rank counts that the kernels are built for (TRT-LLM and MNNVL: the C++ dispatch; CuTe DSL:
# its workspace's own check).
_KERNEL_RANKS: Final = {
    TRTLLM: frozenset({2, 4, 8, 16}),
    MNNVL: frozenset({2, 4, 8, 16, 32, 64}),
    CUTEDSL: frozenset({2, 4, 8, 16}),
}
_MIB: Final = 1 << 20


def kernel_dtypes(backend: str) -> frozenset[torch.dtype]:
    """The dtypes that a backend's kernels are built for; all floats for one not known."""
    return _DTYPES.get(backend, _FLOATS)


def rank_count_supported(
    backend: str, world_size: int, use_oneshot: bool | None, capabilities: Capabilities
) -> bool:
    """Whether the kernel call can work at all with this many ranks.

    TRT-LLM's dispatch looks the rank count up in a table when nobody chooses between one-shot
    and two-shot, and raises KeyError for those it does not list.
    """
    if world_size not in _KERNEL_RANKS.get(backend, frozenset({world_size})):
        return False
    if backend != TRTLLM or use_oneshot is not None:
        return True
    return world_size in dict(capabilities.oneshot_mib)


@dataclass(frozen=True)
class Legality:
    """What one workspace's kernels take, beyond what fits.

    Attributes:
        dtypes: Element types.
        chooses_oneshot: The upstream chooses between one-shot and two-shot by volume, and refuses
            to choose two-shot for as few tokens as ranks (TRT-LLM).
        oneshot_bytes: Volume up to which it then chooses one-shot; None: it cannot choose for
            this rank count.
        world_size: Ranks.
        plain: The workspace serves all-reduce alone.
        fused: It serves all-reduce with residual and RMSNorm.
        rms_eps: The only epsilon it serves; None: any.
    """

    dtypes: frozenset[torch.dtype]
    world_size: int
    chooses_oneshot: bool = False
    oneshot_bytes: int | None = None
    plain: bool = True
    fused: bool = True
    rms_eps: float | None = None

    def allows(
        self, tokens: int, hidden: int, dtype: torch.dtype, use_oneshot: bool | None
    ) -> bool:
        """Whether the kernel would run ``tokens`` rows of ``hidden`` elements of ``dtype``."""
        if dtype not in self.dtypes or hidden * dtype.itemsize % _VECTOR_BYTES or tokens < 1:
            return False
        if not self.chooses_oneshot:
            return True
        if use_oneshot is not None:
            return use_oneshot or tokens > self.world_size
        if self.oneshot_bytes is None:
            return False
        # Source: `_should_use_oneshot`. The hidden size alone settles it for all real models, so
        # that a symbolic token count gets no guard here.
        row = 2 * hidden * dtype.itemsize * self.world_size
        if self.world_size * row <= self.oneshot_bytes:
            return True
        return tokens > self.world_size or tokens * row <= self.oneshot_bytes


def read_legality(
    backend: str, workspace: object, world_size: int, capabilities: Capabilities
) -> Legality:
    """Read what a workspace's kernels take.

    Args:
        backend: The workspace's backend.
        workspace: The upstream's workspace.
        world_size: Ranks.
        capabilities: The upstream's shape.
    """
    if backend == TRTLLM:
        mib = dict(capabilities.oneshot_mib).get(world_size)
        return Legality(
            dtypes=kernel_dtypes(backend),
            world_size=world_size,
            chooses_oneshot=True,
            oneshot_bytes=None if mib is None else mib * _MIB,
        )
    if backend == CUTEDSL:
        # What it computes was compiled in; without the switches it is residual and norm, always.
        normed = attribute(workspace, "apply_rms_norm", default=True) is not False
        residual = attribute(workspace, "add_residual", default=True) is not False
        eps = attribute(workspace, "rms_eps")
        return Legality(
            dtypes=kernel_dtypes(backend),
            world_size=world_size,
            plain=not normed and not residual,
            fused=normed and residual,
            rms_eps=eps if isinstance(eps, float) else None,
        )
    return Legality(dtypes=kernel_dtypes(backend), world_size=world_size)
