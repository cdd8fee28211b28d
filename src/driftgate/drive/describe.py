"""Turn arguments and answers into plain values that JSON can hold and no tensor hides in."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING

import torch
import torch.distributed as dist

if TYPE_CHECKING:
    from driftgate.trace import Json


def describe(value: object) -> Json:
    """Return ``value`` itself where it is plain, else what a contract needs to know of it.

    A tensor is its shape and dtype, a process group its global ranks, an enum member its class
    and name, any other object its class, its bases and the ranks it speaks to.
    """
    match value:
        case Enum():
            described: Json = f"{type(value).__name__}.{value.name}"
        case None | bool() | int() | float() | str():
            described = value
        case torch.Tensor():
            described = f"tensor[{'x'.join(map(str, value.shape))} {dtype_name(value.dtype)}]"
        case torch.dtype():
            described = dtype_name(value)
        case dist.ProcessGroup():
            described = {"ranks": dist.get_process_group_ranks(value)}
        case list() | tuple():
            described = [describe(item) for item in value]
        case dict():
            described = {str(key): describe(item) for key, item in value.items()}
        case _:
            described = _describe_object(value)
    return described


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
