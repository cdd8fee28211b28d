"""FlashInfer's fused all-reduce (+ residual, + RMSNorm) for tensor-parallel inference engines.

Runs with ``torch`` alone. ``flashinfer`` is optional, is imported when it is first needed, and
whatever is installed there, nothing here raises for it: fusion is active or it is off, and
:func:`fusion_status` says why.

An engine calls :func:`configure` once, :func:`pre_initialize_workspaces` on every rank before it
captures graphs, and then, per layer, :func:`can_use_flashinfer_allreduce` followed by
:func:`flashinfer_allreduce`, or :func:`flashinfer_allreduce_residual_rmsnorm`.
"""

from flashinfer_comm_fusion.capabilities import Capabilities
from flashinfer_comm_fusion.engine import (
    GroupCoordinator,
    cleanup_flashinfer_workspace,
    configure,
    ensure_workspace_initialized,
    fusion_status,
    is_flashinfer_allreduce_unavailable,
    pre_initialize_workspaces,
    reset,
    resolve_flashinfer_allreduce_fusion_backend,
)
from flashinfer_comm_fusion.ops import (
    NoWorkspaceError,
    can_use_flashinfer_allreduce,
    flashinfer_allreduce,
    flashinfer_allreduce_residual_rmsnorm,
)
from flashinfer_comm_fusion.settings import Settings
from flashinfer_comm_fusion.status import FusionStatus, ReasonCode
from flashinfer_comm_fusion.topology import Topology
from flashinfer_comm_fusion.workspace import FlashInferWorkspaceManager

__all__ = [
    "Capabilities",
    "FlashInferWorkspaceManager",
    "FusionStatus",
    "GroupCoordinator",
    "NoWorkspaceError",
    "ReasonCode",
    "Settings",
    "Topology",
    "can_use_flashinfer_allreduce",
    "cleanup_flashinfer_workspace",
    "configure",
    "ensure_workspace_initialized",
    "flashinfer_allreduce",
    "flashinfer_allreduce_residual_rmsnorm",
    "fusion_status",
    "is_flashinfer_allreduce_unavailable",
    "pre_initialize_workspaces",
    "reset",
    "resolve_flashinfer_allreduce_fusion_backend",
]
