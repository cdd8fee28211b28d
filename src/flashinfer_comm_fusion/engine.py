"""What the engine injects, and the workspaces of its two groups."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import torch

from flashinfer_comm_fusion.capabilities import probe
from flashinfer_comm_fusion.rendezvous import group_ranks
from flashinfer_comm_fusion.settings import (
    PATIENCE,
    Settings,
    free_device_memory,
    install_settings,
    stream_is_capturing,
)
from flashinfer_comm_fusion.status import FusionStatus, ReasonCode, Refusal
from flashinfer_comm_fusion.topology import AUTO, read_topology, resolve_backend
from flashinfer_comm_fusion.workspace import FlashInferWorkspaceManager

if TYPE_CHECKING:
    from collections.abc import Callable

    from torch.distributed import ProcessGroup

    from flashinfer_comm_fusion.gate import Gate
    from flashinfer_comm_fusion.topology import Topology


class GroupCoordinator(Protocol):
    """An engine's view of one tensor-parallel group."""

    @property
    def world_size(self) -> int:
        """Ranks of the group."""

    @property
    def rank_in_group(self) -> int:
        """This rank among them."""

    @property
    def device_group(self) -> ProcessGroup | None:
        """The group that kernels reduce over; None: all of WORLD."""

    @property
    def cpu_group(self) -> ProcessGroup | None:
        """The same ranks over a CPU backend, for votes; None: ranks decide without a vote."""


@dataclass(frozen=True)
class _Site:
    """One group and its workspace."""

    coordinator: GroupCoordinator
    manager: FlashInferWorkspaceManager


@dataclass(frozen=True)
class _Engine:
    backend: str | None
    topology: Topology | None
    attention: _Site
    moe: _Site

    def site(self, use_attn_tp_group: bool) -> _Site:
        return self.attention if use_attn_tp_group else self.moe


class _Holder:
    engine: _Engine | None = None


_holder = _Holder()

_NOT_CONFIGURED = FusionStatus(
    active=False, reason=ReasonCode.NOT_CONFIGURED, detail="the engine has not called configure()"
)


def configure(  # noqa: PLR0913 - all that an engine has to say, once
    *,
    attn_tp_group: GroupCoordinator,
    moe_tp_group: GroupCoordinator | None = None,
    backend: str | None = AUTO,
    topology: Topology | None = None,
    is_capturing: Callable[[], bool] | None = None,
    free_memory: Callable[[], int | None] | None = None,
    patience: float = PATIENCE,
) -> None:
    """Tell this module about the engine; workspaces of an earlier engine are given up.

    Args:
        attn_tp_group: The attention layers' group.
        moe_tp_group: The MoE layers' group; None: the attention group, sharing its workspace.
        backend: ``auto``, ``trtllm``, ``mnnvl``, ``mnnvl-cutedsl``, or None for no fusion.
        topology: The machine; None: read from ``torch.cuda`` when a workspace is made.
        is_capturing: Whether a graph is being captured; None: ask ``torch.cuda``.
        free_memory: Bytes that a workspace may take; None: ask ``torch.cuda``.
        patience: Seconds that a rank waits for its peers, and for a creation to come back.
    """
    cleanup_flashinfer_workspace()
    settings = Settings(
        topology=topology,
        is_capturing=is_capturing or stream_is_capturing,
        free_memory=free_memory or free_device_memory,
        patience=patience,
    )
    install_settings(settings)
    attention = _Site(attn_tp_group, FlashInferWorkspaceManager())
    moe = attention if moe_tp_group is None else _Site(moe_tp_group, FlashInferWorkspaceManager())
    _holder.engine = _Engine(backend, topology, attention, moe)


def reset() -> None:
    """Forget the engine, its workspaces, every latched failure, and what was read upstream."""
    cleanup_flashinfer_workspace()
    _holder.engine = None
    install_settings(Settings())
    probe.cache_clear()


def live_gate(use_attn_tp_group: bool) -> Gate | None:
    """What decides for one group; None while it has no workspace."""
    engine = _holder.engine
    if engine is None:
        return None
    return (engine.attention if use_attn_tp_group else engine.moe).manager.gate


def ensure_workspace_initialized(  # noqa: PLR0913, PLR0917 - SGLang's parameters
    max_token_num: int = 2048,
    hidden_dim: int = 4096,
    use_fp32_lamport: bool = False,
    dtype: torch.dtype | None = None,
    token_num: int | None = None,
    use_oneshot: bool | None = None,
    use_attn_tp_group: bool = True,
) -> bool:
    """Make or grow one group's workspace where that is needed.

    Collective over the group whenever a workspace has to be made: call it on every rank with the
    same arguments. Never raises, and never tries again what has failed.

    Args:
        max_token_num: Tokens to make it for.
        hidden_dim: Hidden size to make it for.
        use_fp32_lamport: Stands for float32 where no ``dtype`` is given; never sent upstream.
        dtype: Activations' dtype; None: bfloat16.
        token_num: Tokens that must fit now; None: ``max_token_num``.
        use_oneshot: The strategy that must fit; None: the one that the upstream chooses.
        use_attn_tp_group: The attention group, or else the MoE group.

    Returns:
        Whether there is a workspace over this group that is large enough.
    """
    engine = _holder.engine
    if engine is None:
        return False
    site = engine.site(use_attn_tp_group)
    manager, coordinator = site.manager, site.coordinator
    if engine.backend is None:
        manager.decline(Refusal(ReasonCode.DISABLED, "the engine asked for no backend"))
        return False
    dtype = dtype or (torch.float32 if use_fp32_lamport else torch.bfloat16)
    tokens = token_num or max_token_num
    peers = (coordinator.world_size, coordinator.rank_in_group)
    group = (coordinator.device_group, coordinator.cpu_group)

    def is_enough() -> bool:
        return manager.serves(*peers, group) and manager.is_buffer_size_sufficient(
            tokens, hidden_dim, dtype, use_oneshot
        )

    if is_enough():
        return True
    manager.initialize(
        *peers,
        max(max_token_num, tokens),
        hidden_dim,
        backend=engine.backend,
        dtype=dtype,
        use_oneshot=use_oneshot,
        device_group=group[0],
        cpu_group=group[1],
    )
    return is_enough()


def pre_initialize_workspaces(
    max_token_num: int,
    hidden_dim: int,
    dtype: torch.dtype,
    use_oneshot: bool | None = None,
) -> None:
    """Make both groups' workspaces; call it on every rank, before any graph is captured.

    Args:
        max_token_num: Tokens to make them for.
        hidden_dim: Hidden size to make them for.
        dtype: Activations' dtype.
        use_oneshot: True: large enough for one-shot at these sizes.
    """
    for use_attn_tp_group in (False, True):
        ensure_workspace_initialized(
            max_token_num=max_token_num,
            hidden_dim=hidden_dim,
            dtype=dtype,
            use_oneshot=use_oneshot,
            use_attn_tp_group=use_attn_tp_group,
        )


def cleanup_flashinfer_workspace() -> None:
    """Give up both groups' workspaces. Idempotent."""
    engine = _holder.engine
    if engine is not None:
        engine.moe.manager.cleanup()
        engine.attention.manager.cleanup()


def fusion_status(
    use_attn_tp_group: bool = True,
) -> FusionStatus:
    """What one group's fusion is doing, and why.

    Args:
        use_attn_tp_group: The attention group, or else the MoE group.
    """
    engine = _holder.engine
    return _NOT_CONFIGURED if engine is None else engine.site(use_attn_tp_group).manager.status


def is_flashinfer_allreduce_unavailable() -> bool:
    """Whether fusion is out of the question in this process.

    True where there is no usable upstream, or where every group's creation has failed for good.
    Before the ranks have voted it is this rank's view alone: never skip
    :func:`pre_initialize_workspaces` by it, or the other ranks wait for this one's vote.
    """
    if isinstance(probe(), Refusal):
        return True
    engine = _holder.engine
    return engine is not None and engine.attention.manager.is_out and engine.moe.manager.is_out


def resolve_flashinfer_allreduce_fusion_backend() -> str | None:
    """The backend that this process would create, by its machine; None when fusion is off.

    Whether the installed upstream can create it is not asked here.
    """
    engine = _holder.engine
    if engine is None or engine.backend is None:
        return None
    coordinator = engine.attention.coordinator
    ranks = group_ranks(coordinator.device_group, coordinator.world_size) or []
    machine = engine.topology or read_topology(ranks)
    if isinstance(machine, Refusal):
        return None
    backend = resolve_backend(engine.backend, machine)
    return None if isinstance(backend, Refusal) else backend
