"""How much device memory a workspace takes at least, for a rank to say no before it starts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flashinfer_comm_fusion.topology import MNNVL, TRTLLM

if TYPE_CHECKING:
    import torch

_LAMPORT_BUFFERS = 3
_TRTLLM_LAMPORT_LIMIT = (1 << 31) - (1 << 21)  # MAX_COMM_SIZE, which each of them is clamped to
_TRTLLM_ELEMENT_BYTES = 2  # of its two-shot area, whatever the dtype, in some releases


def least_bytes(backend: str, world_size: int, sizes: tuple[int, int, torch.dtype]) -> int:
    """Bytes that no release's workspace gets by with less of; 0 where that is not known.

    Source: the sizes of ``trtllm_create_ipc_workspace_for_all_reduce_fusion`` (a two-shot area,
    and three Lamport buffers) and of ``MNNVLAllReduceFusionWorkspace`` (three buffers, each large
    enough for two-shot).

    Args:
        backend: The backend to create.
        world_size: Ranks.
        sizes: Tokens, hidden size and dtype.
    """
    tokens, hidden, dtype = sizes
    if backend == TRTLLM:
        elements = world_size * tokens * hidden
        lamport = min(elements * dtype.itemsize, _TRTLLM_LAMPORT_LIMIT)
        return elements * _TRTLLM_ELEMENT_BYTES + _LAMPORT_BUFFERS * lamport
    if backend == MNNVL:
        slices = -(-tokens // world_size)
        return _LAMPORT_BUFFERS * 2 * slices * world_size * hidden * dtype.itemsize
    return 0
