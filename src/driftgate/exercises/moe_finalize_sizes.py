"""The all-reduce that finalises a mixture of experts, over buffers padded beyond its tokens."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

import torch

from driftgate.exercises.making import require_unified
from driftgate.wheels.kernels import KernelRefusedError

if TYPE_CHECKING:
    from driftgate.exercises.release import Release
    from driftgate.trace import Json

LOADS_ITSELF = False

_CALL = "trtllm_moe_finalize_allreduce_fusion"
_LIMIT = "MAX_COMM_SIZE"
_HIDDEN = 4096
_RANKS = 8
_TOP_K = 8
# Tokens, rows of the expert buffer, type: what is sent between ranks is the tokens alone.
_CASES = (
    (64, 1024, torch.bfloat16),
    (1024, 40960, torch.bfloat16),
    (4096, 65536, torch.float16),
    (65536, 65536, torch.bfloat16),
    (24576, 24576, torch.float32),
)


def play(release: Release) -> Json:
    """Return, for each case, the bytes that are sent, the release's limit, and the outcome.

    Raises:
        AbsentError: The release has no such call, or kernels that cannot be replaced.
    """
    require_unified(release)
    home = release.home(_CALL)
    call, limit = getattr(home, _CALL), int(getattr(home, _LIMIT))
    records = []
    for tokens, rows, dtype in _CASES:
        sent = tokens * _HIDDEN * dtype.itemsize * _RANKS
        name = str(dtype).removeprefix("torch.")
        records.append(
            {
                "case": f"{tokens} tokens, {rows} rows of experts, {name}, {_RANKS} ranks",
                "sent": sent,
                "limit": limit,
                "outcome": _outcome(call, tokens, rows, dtype),
            }
        )
    return records


def _outcome(call: Any, tokens: int, rows: int, dtype: torch.dtype) -> str:  # noqa: ANN401
    """Call it with tensors that have a size and no bytes; ``ok`` where a kernel is reached.

    What is refused before that is a ValueError; nothing else is an answer.
    """
    made = {
        "allreduce_in": torch.empty(rows, _HIDDEN, dtype=dtype, device="meta"),
        "residual_in": torch.empty(tokens, _HIDDEN, dtype=dtype, device="meta"),
        "norm_weight": torch.empty(_HIDDEN, dtype=dtype, device="meta"),
        "expanded_idx_to_permuted_idx": torch.empty(
            tokens, _TOP_K, dtype=torch.int32, device="meta"
        ),
        "launch_with_pdl": False,
        "world_rank": 0,
        "world_size": _RANKS,
        "eps": 1e-6,
    }
    parameters = inspect.signature(call).parameters.values()
    sent = {each.name: made.get(each.name) for each in parameters if each.default is each.empty}
    try:
        call(**sent)
    except KernelRefusedError:
        return "ok"
    except ValueError as error:
        return f"ValueError: {error}"
    return "ok"
