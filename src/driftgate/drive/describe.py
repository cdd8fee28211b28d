"""Turn arguments and answers into plain values that JSON can hold and no tensor hides in."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, Any

import torch
import torch.distributed as dist

if TYPE_CHECKING:
    from driftgate.trace import Json


def describe(value: Any) -> Json:
    """Return ``value`` itself where it is plain, else what a contract needs to know of it.

    A tensor is its shape and dtype, a process group its global ranks, an enum member its class
    and name, any other object its class, its bases and the ranks it speaks to.
    """
    if isinstance(value, Enum):
        return f"{type(value).__name__}.{value.name}"
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, torch.Tensor):
        return f"tensor[{'x'.join(map(str, value.shape))} {dtype_name(value.dtype)}]"
    if isinstance(value, torch.dtype):
        return dtype_name(value)
    if isinstance(value, dist.ProcessGroup):
        return {"ranks": dist.get_process_group_ranks(value)}
    if isinstance(value, list | tuple):
        return [describe(item) for item in value]
    if isinstance(value, dict):
        return {str(key): describe(item) for key, item in value.items()}
    return _describe_object(value)


def dtype_name(dtype: torch.dtype) -> str:
    """Return ``bfloat16`` for ``torch.bfloat16``."""
    return str(dtype).removeprefix("torch.")


def _describe_object(value: object) -> Json:
    described: dict[str, Json] = {
        "type": type(value).__name__,
        "bases": [base.__name__ for base in type(value).__mro__[1:-1]],
    }
    # Not getattr: an upstream's __getattr__ may answer anything, or raise.
    group = getattr(value, "__dict__", {}).get("_group")
    if isinstance(group, dist.ProcessGroup):
        described["ranks"] = dist.get_process_group_ranks(group)
    return described
