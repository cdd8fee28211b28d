"""Looking at a fresh workspace before anybody trusts it, and giving up one that is not wanted."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import torch

from flashinfer_comm_fusion.arithmetic import (
    MnnvlArithmetic,
    TrtllmArithmetic,
    agrees,
    read_arithmetic,
)
from flashinfer_comm_fusion.capabilities import attribute, find_symbol, probe
from flashinfer_comm_fusion.dialect import find_size_check
from flashinfer_comm_fusion.gate import Gate
from flashinfer_comm_fusion.kernel import sent_to_kernel
from flashinfer_comm_fusion.legality import read_legality
from flashinfer_comm_fusion.status import ReasonCode, Refusal, describe
from flashinfer_comm_fusion.topology import CUTEDSL, MNNVL, TRTLLM

if TYPE_CHECKING:
    from collections.abc import Callable

    from torch.distributed import ProcessGroup

    from flashinfer_comm_fusion.arithmetic import Arithmetic
    from flashinfer_comm_fusion.capabilities import Upstream
    from flashinfer_comm_fusion.dialect import SizeCheck

_TAKE: Final = "trtllm_destroy_ipc_workspace_for_all_reduce_fusion"
_BACKENDS: Final = frozenset({TRTLLM, MNNVL, CUTEDSL})


@dataclass(frozen=True)
class Made:
    """A workspace that was made and found good.

    Attributes:
        gate: All that is known of it.
        dropped: What could not be sent to the upstream or read from it.
    """

    gate: Gate
    dropped: tuple[str, ...]


def inspect_workspace(  # noqa: PLR0913 - one call's facts
    workspace: Any,  # noqa: ANN401 - the upstream's
    *,
    upstream: Upstream,
    backend: str,
    world_size: int,
    groups: tuple[ProcessGroup | None, ProcessGroup | None],
    made_for: tuple[int, int, torch.dtype],
    dropped: tuple[str, ...],
) -> Made | Refusal:
    """Read a fresh workspace; one that cannot be used is destroyed.

    Args:
        workspace: The upstream's workspace.
        upstream: Where it came from.
        backend: The backend that was asked for.
        world_size: Ranks.
        groups: Device group and CPU group.
        made_for: Tokens, hidden size and dtype that were asked for.
        dropped: What was not sent when it was made.
    """
    try:
        outcome = _inspect(workspace, upstream, backend, world_size, groups, made_for, dropped)
    except Exception as error:  # noqa: BLE001 - whatever it is, the peers wait for this rank's vote
        outcome = Refusal(ReasonCode.CREATE_FAILED, f"while looking at it: {describe(error)}")
    if isinstance(outcome, Refusal):
        destroy(workspace)
    return outcome


def destroy(workspace: Any) -> str:  # noqa: ANN401 - the upstream's
    """Give a workspace up; survives one that cannot be destroyed.

    Returns:
        What went wrong in one line, or empty.
    """
    _forget_answers(type(workspace))
    _take_from_table(workspace)
    method = attribute(workspace, "destroy")
    if not callable(method):
        return "the workspace has no destroy()"
    try:
        method()
    except Exception as error:  # noqa: BLE001 - the upstream may raise anything
        return f"destroy() raised {describe(error)}"
    return ""


def _take_from_table(workspace: Any) -> None:  # noqa: ANN401 - the upstream's
    """Take TRT-LLM's buffers out of the upstream's own table, where ``destroy`` leaves them.

    The table came with torch symmetric memory, and keeps the buffers for good unless the older
    call, given the list that they are filed under, takes them out. Before that table the same call
    freed pointers of another allocator, so it must not be made.
    """
    upstream = probe()
    if isinstance(upstream, Refusal) or not upstream.capabilities.torch_symmetric_memory:
        return
    take, filed_under = find_symbol(_TAKE), attribute(workspace, "ipc_handles")
    if callable(take) and isinstance(filed_under, list):
        # An upstream that files them otherwise keeps them, as it would have without this.
        with contextlib.suppress(Exception):
            take(filed_under)


def _forget_answers(cls: type) -> None:
    """Clear a size check that is a cached method: its cache keeps every workspace alive."""
    function = attribute(cls, "is_buffer_size_sufficient")
    while function is not None:
        clear: Callable[[], None] | None = attribute(function, "cache_clear")
        if callable(clear):
            clear()
            return
        function = attribute(function, "__wrapped__")


def _inspect(  # noqa: PLR0913, PLR0917 - see inspect_workspace
    workspace: Any,  # noqa: ANN401
    upstream: Upstream,
    asked: str,
    world_size: int,
    groups: tuple[ProcessGroup | None, ProcessGroup | None],
    made_for: tuple[int, int, torch.dtype],
    dropped: tuple[str, ...],
) -> Made | Refusal:
    lost = list(dropped)
    backend = attribute(workspace, "backend")
    if not isinstance(backend, str) or backend not in _BACKENDS:
        # "auto" is never asked for, so it is what was asked for.
        lost.append("workspace:backend")
        backend = asked
    if attribute(workspace, "mc_ptr", default=1) in (None, 0):
        return Refusal(
            ReasonCode.NULL_MULTICAST, f"the {backend} workspace has a null multicast pointer"
        )
    check = find_size_check(workspace, world_size)
    if check is None:
        return Refusal(
            ReasonCode.NO_SIZE_CHECK, f"{type(workspace).__name__} has no size check to ask"
        )
    try:
        fits_itself = check.ask(*made_for, None)
    except Exception as error:  # noqa: BLE001 - the upstream may raise anything
        return Refusal(ReasonCode.NO_SIZE_CHECK, f"size check raised {describe(error)}")

    arithmetic = _trusted_arithmetic(workspace, backend, world_size, check, made_for, fits_itself)
    if not check.takes_hint:
        lost.append("is_buffer_size_sufficient:use_oneshot")
    if not callable(attribute(workspace, "destroy")):
        lost.append("workspace:destroy")
    lost += [
        f"allreduce_fusion:{name}"
        for name in upstream.all_reduce_signature.rejected(sent_to_kernel(backend))
    ]
    device_group, cpu_group = groups
    return Made(
        gate=Gate(
            upstream=upstream,
            workspace=workspace,
            backend=backend,
            world_size=world_size,
            group_key=(device_group, cpu_group),
            device=_device(workspace),
            size_check=check,
            arithmetic=arithmetic,
            refuse_first=isinstance(arithmetic, TrtllmArithmetic),
            legality=read_legality(backend, workspace, world_size, upstream.capabilities),
        ),
        dropped=tuple(lost),
    )


def _trusted_arithmetic(  # noqa: PLR0913, PLR0917 - see inspect_workspace
    workspace: object,
    backend: str,
    world_size: int,
    check: SizeCheck,
    made_for: tuple[int, int, torch.dtype],
    fits_itself: bool,
) -> Arithmetic | None:
    """The arithmetic, if it answers as the validator does wherever that can be tried."""
    arithmetic = read_arithmetic(backend, workspace, world_size)
    if arithmetic is None or arithmetic.fits(*made_for, None) != fits_itself:
        return None
    if not isinstance(arithmetic, MnnvlArithmetic):
        return arithmetic
    _, hidden, dtype = made_for
    try:
        return arithmetic if agrees(arithmetic, check, hidden, dtype) else None
    except Exception:  # noqa: BLE001 - a validator that raises agrees with nothing
        return None


def _device(workspace: object) -> torch.device | None:
    """Where the workspace's own tensors are: TRT-LLM's pointers, MNNVL's flags."""
    for name in ("workspace_tensor", "buffer_flags"):
        tensor = attribute(workspace, name)
        if isinstance(tensor, torch.Tensor):
            return tensor.device
    return None
