"""The arguments of SGLang's fusion module, which ours takes by the same names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch

if TYPE_CHECKING:
    from driftgate.drive.engine import Coordinator


def of_creation(
    tokens: int, hidden: int, dtype: torch.dtype, *, use_oneshot: bool | None
) -> dict[str, Any]:
    """Return what a layer asks for a workspace with."""
    return {
        "max_token_num": tokens,
        "hidden_dim": hidden,
        "use_fp32_lamport": dtype is torch.float32,
        "dtype": dtype,
        "token_num": tokens,
        "use_oneshot": use_oneshot,
    }


def of_manager(
    group: Coordinator, tokens: int, hidden: int, dtype: torch.dtype, *, group_alone: bool
) -> dict[str, Any]:
    """Return what a workspace manager is initialised with, but for the backend."""
    return {
        "world_size": group.world_size,
        "rank": group.rank_in_group,
        "max_token_num": tokens,
        "hidden_dim": hidden,
        "group": group.cpu_group,
        "use_fp32_lamport": dtype is torch.float32,
        "dtype": dtype,
        "device_group": None if group_alone else group.device_group,
        "cpu_group": None if group_alone else group.cpu_group,
    }
