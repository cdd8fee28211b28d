# Derived by `driftgate stub derive` from a recorded surface; do not edit.

import torch
from typing import Any

import driftgate_stub_core as core

SHAPE = core.shape(__file__)


def _alloc_symm_buffer_bytes(
    size_bytes: int,
    world_size: int,
    dtype: torch.dtype,
    device: torch.device,
    group_name: str,
) -> tuple[list[int], torch.Tensor, Any]:
    return core.call("_alloc_symm_buffer_bytes", SHAPE, locals())
