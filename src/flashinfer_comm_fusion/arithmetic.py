"""The validators' arithmetic, for the two places where the validator itself must not be asked.

TRT-LLM's validator logs a warning for each refusal, so what provably cannot fit is refused before
it is asked. And under ``torch.compile`` the upstream must not be traced into, so the answer there
is arithmetic alone. Each class here answers what one backend's validator answers, from numbers
that the workspace itself states; where those are missing or odd there is no arithmetic, and in
eager mode the validator answers alone.

Token counts may be symbolic: only ``+ * // <= ==`` are used on them, and whatever can be decided
by the hidden size is decided first.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import torch

from flashinfer_comm_fusion.capabilities import attribute
from flashinfer_comm_fusion.topology import CUTEDSL, MNNVL, TRTLLM

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flashinfer_comm_fusion.dialect import SizeCheck


class Arithmetic(Protocol):
    """What a workspace's validator would answer, without asking it."""

    def fits(self, tokens: int, hidden: int, dtype: torch.dtype, use_oneshot: bool | None) -> bool:
        """Whether ``tokens`` rows of ``hidden`` elements of ``dtype`` fit the workspace."""


@dataclass(frozen=True)
class TrtllmArithmetic:
    """TRT-LLM's validator: total elements, and FP32-ness.

    Source: ``check_trtllm_allreduce_fusion_workspace_metadata``. It also compares rank counts;
    that is settled when this is read.

    Attributes:
        elements: Tokens times hidden size of the workspace.
        fp32_lamport: Whether its Lamport area holds float32.
    """

    elements: int
    fp32_lamport: bool

    def fits(
        self,
        tokens: int,
        hidden: int,
        dtype: torch.dtype,
        use_oneshot: bool | None,  # noqa: ARG002 - the area serves both
    ) -> bool:
        """See :class:`Arithmetic`."""
        return self.fp32_lamport == (dtype == torch.float32) and tokens * hidden <= self.elements


@dataclass(frozen=True)
class MnnvlArithmetic:
    """MNNVL's validator: bytes by strategy; neither rank count nor dtype of the workspace.

    Source: ``MNNVLAllReduceFusionWorkspace.get_required_buffer_size_bytes`` and
    ``MNNVLAllreduceFusionStrategy.select_strategy``. The need is not monotone: it falls where the
    strategy changes, so no "at most what it was made for" can stand in for it.

    Attributes:
        buffer_bytes: Bytes of one Lamport buffer, as allocated.
        oneshot_bytes: Volume up to which one-shot is chosen when nobody says.
        world_size: Ranks.
    """

    buffer_bytes: int
    oneshot_bytes: int
    world_size: int

    def fits(self, tokens: int, hidden: int, dtype: torch.dtype, use_oneshot: bool | None) -> bool:
        """See :class:`Arithmetic`."""
        row = hidden * dtype.itemsize
        oneshot_need = tokens * row * self.world_size
        if use_oneshot is None:
            use_oneshot = oneshot_need <= self.oneshot_bytes
        if use_oneshot:
            return oneshot_need <= self.buffer_bytes
        # Every rank reduces a slice of the tokens, equal for all, in two stages.
        slices = (tokens + self.world_size - 1) // self.world_size
        return 2 * slices * self.world_size * row <= self.buffer_bytes

    def edges(self, hidden: int, dtype: torch.dtype) -> Iterator[int]:
        """Token counts around which the answer may change at this hidden size."""
        row = hidden * dtype.itemsize
        for limit in (
            self.oneshot_bytes // (row * self.world_size),
            self.buffer_bytes // (row * self.world_size),
            self.buffer_bytes // (2 * row),
        ):
            yield from (max(limit + step, 1) for step in (-self.world_size, -1, 0, 1))
            yield limit + self.world_size


@dataclass(frozen=True)
class CutedslArithmetic:
    """CuTe DSL's validator: at most the tokens, exactly the hidden size and the dtype.

    Source: ``MNNVLCuteDSLAllReduceFusionWorkspace.is_buffer_size_sufficient``.
    """

    max_token_num: int
    hidden_dim: int
    dtype: torch.dtype

    def fits(
        self,
        tokens: int,
        hidden: int,
        dtype: torch.dtype,
        use_oneshot: bool | None,  # noqa: ARG002 - the kernels are compiled, there is no choice
    ) -> bool:
        """See :class:`Arithmetic`."""
        return hidden == self.hidden_dim and dtype == self.dtype and tokens <= self.max_token_num


def read_arithmetic(
    backend: str, workspace: object, world_size: int
) -> TrtllmArithmetic | MnnvlArithmetic | CutedslArithmetic | None:
    """Read a workspace's own numbers.

    Args:
        backend: The workspace's backend.
        workspace: The upstream's workspace.
        world_size: Ranks that the validator is asked for.

    Returns:
        The arithmetic, or None where a number is missing or is not what it should be.
    """
    if backend == TRTLLM:
        return _read_trtllm(attribute(workspace, "metadata"), world_size)
    if backend == MNNVL:
        return _read_mnnvl(workspace, world_size)
    if backend == CUTEDSL:
        return _read_cutedsl(workspace, world_size)
    return None


def agrees(arithmetic: MnnvlArithmetic, check: SizeCheck, hidden: int, dtype: torch.dtype) -> bool:
    """Whether the arithmetic answers as the validator does, around every edge.

    Only for MNNVL, whose validator refuses without a word.

    Args:
        arithmetic: What was read from the workspace.
        check: The workspace's validator.
        hidden: Hidden size that the workspace was made for.
        dtype: Dtype that it was made for.
    """
    hints: tuple[bool | None, ...] = (None, True, False) if check.takes_hint else (None,)
    return all(
        arithmetic.fits(tokens, width, kind, hint) == check.ask(tokens, width, kind, hint)
        for width in (hidden, max(hidden // 2, 1), hidden + 8)
        for kind in dict.fromkeys((dtype, torch.bfloat16, torch.float32))
        for tokens in arithmetic.edges(width, kind)
        for hint in hints
    )


def _read_trtllm(metadata: Any, world_size: int) -> TrtllmArithmetic | None:  # noqa: ANN401
    try:
        tokens, hidden, ranks, fp32 = (
            metadata[key] for key in ("max_token_num", "hidden_dim", "tp_size", "use_fp32_lamport")
        )
    except Exception:  # noqa: BLE001 - it may be any object
        return None
    if not (_is_count(tokens) and _is_count(hidden) and isinstance(fp32, bool)):
        return None
    if ranks != world_size:
        return None
    return TrtllmArithmetic(elements=tokens * hidden, fp32_lamport=fp32)


def _read_mnnvl(workspace: object, world_size: int) -> MnnvlArithmetic | None:
    buffer = attribute(workspace, "buffer_size_bytes")
    home = sys.modules.get(type(workspace).__module__)
    threshold = attribute(home, "MNNVL_ONE_SHOT_THRESHOLD")
    if not (_is_count(buffer) and _is_count(threshold)):
        return None
    return MnnvlArithmetic(buffer, threshold, world_size)


def _read_cutedsl(workspace: object, world_size: int) -> CutedslArithmetic | None:
    tokens = attribute(workspace, "max_token_num")
    hidden = attribute(workspace, "hidden_dim")
    dtype = attribute(workspace, "dtype")
    if not (_is_count(tokens) and _is_count(hidden) and isinstance(dtype, torch.dtype)):
        return None
    if attribute(workspace, "world_size") != world_size:
        return None
    return CutedslArithmetic(tokens, hidden, dtype)


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value > 0
