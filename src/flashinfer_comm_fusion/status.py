"""What fusion is doing and why: reason codes, the status value, and its one log record a change."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from flashinfer_comm_fusion.capabilities import Capabilities

logger = logging.getLogger("flashinfer_comm_fusion")


class ReasonCode(str, Enum):
    """Why fusion is not active; stable names, for logs, dashboards and tests."""

    NO_FLASHINFER = "no-flashinfer"
    COMM_MISSING = "comm-missing"
    IMPORT_FAILED = "import-failed"
    NO_UNIFIED_API = "no-unified-api"
    SIGNATURE_UNREADABLE = "signature-unreadable"
    RENDEZVOUS_UNKNOWN = "rendezvous-unknown"
    RENDEZVOUS_WORLD = "rendezvous-world"
    UNSUPPORTED_TOPOLOGY = "unsupported-topology"
    UNSUPPORTED_RANK_COUNT = "unsupported-rank-count"
    UNSUPPORTED_BACKEND = "unsupported-backend"
    UNSUPPORTED_DTYPE = "unsupported-dtype"
    INSUFFICIENT_MEMORY = "insufficient-memory"
    NO_SIZE_CHECK = "no-size-check"
    CREATE_FAILED = "create-failed"
    CREATE_RETURNED_NONE = "create-returned-none"
    NULL_MULTICAST = "null-multicast"
    PEER_FAILED = "peer-failed"
    CAPTURING = "capturing"
    NOT_CONFIGURED = "not-configured"
    NO_WORKSPACE = "no-workspace"
    SINGLE_RANK = "single-rank"
    DISABLED = "disabled"

    def __str__(self) -> str:
        return self.value


PASSING: Final = frozenset(
    {
        ReasonCode.UNSUPPORTED_DTYPE,
        ReasonCode.CAPTURING,
        ReasonCode.NOT_CONFIGURED,
        ReasonCode.NO_WORKSPACE,
        ReasonCode.SINGLE_RANK,
        ReasonCode.DISABLED,
    }
)
"""Reasons that a later request may undo. Every other reason is final until ``reset()``."""

_LEVELS: Final = {
    # Nothing is wrong: fusion was not asked for, has nothing to do, or has not started.
    ReasonCode.NO_FLASHINFER: logging.INFO,
    ReasonCode.SINGLE_RANK: logging.INFO,
    ReasonCode.DISABLED: logging.INFO,
    ReasonCode.NOT_CONFIGURED: logging.DEBUG,
    ReasonCode.NO_WORKSPACE: logging.DEBUG,
    # Refused on purpose: fusion would be wrong or cannot be here.
    ReasonCode.COMM_MISSING: logging.WARNING,
    ReasonCode.NO_UNIFIED_API: logging.WARNING,
    ReasonCode.RENDEZVOUS_UNKNOWN: logging.WARNING,
    ReasonCode.RENDEZVOUS_WORLD: logging.WARNING,
    ReasonCode.UNSUPPORTED_TOPOLOGY: logging.WARNING,
    ReasonCode.UNSUPPORTED_RANK_COUNT: logging.WARNING,
    ReasonCode.UNSUPPORTED_BACKEND: logging.WARNING,
    ReasonCode.UNSUPPORTED_DTYPE: logging.WARNING,
    ReasonCode.CAPTURING: logging.WARNING,
    # Anything else is a failure that stays: ERROR.
}


@dataclass(frozen=True)
class Refusal:
    """A step of the way to a workspace that was not taken.

    Attributes:
        reason: Why.
        detail: One line for people: what was found, where.
    """

    reason: ReasonCode
    detail: str


@dataclass(frozen=True)
class FusionStatus:
    """What fusion is doing for one group.

    Attributes:
        active: Whether a workspace exists and the fused kernels may run.
        reason: Why not; None when active.
        backend: The workspace's backend, or the one that was refused, or empty.
        capabilities: What the upstream offers; None before it was needed, or without one.
        upstream_version: The upstream's own version text; empty where it is not known.
        dropped: ``symbol:parameter`` for each thing this module would send or read that the
            upstream does not take or have.
        size_check: Where the workspace's validator lives and what its hint is called.
        detail: One line for people.
    """

    active: bool
    reason: ReasonCode | None
    backend: str = ""
    capabilities: Capabilities | None = None
    upstream_version: str = ""
    dropped: tuple[str, ...] = ()
    size_check: str = ""
    detail: str = ""


def describe(error: BaseException) -> str:
    """Name an exception in one line, short enough for a log record."""
    text = " ".join(str(error).split())
    return f"{type(error).__name__}: {text[:300]}" if text else type(error).__name__


class StatusBoard:
    """Holds one group's status, and logs each change of it once."""

    def __init__(self) -> None:
        self.status = FusionStatus(active=False, reason=ReasonCode.NO_WORKSPACE)

    def publish(self, status: FusionStatus) -> None:
        """Take ``status`` as the current one; log it unless it says what the last one said."""
        before = self.status
        self.status = status
        if (before.active, before.reason, before.backend) == (
            status.active,
            status.reason,
            status.backend,
        ):
            return
        if status.reason is None:
            logger.info(
                "FlashInfer all-reduce fusion is active: backend=%s %s",
                status.backend,
                status.detail,
            )
            return
        logger.log(
            _LEVELS.get(status.reason, logging.ERROR),
            "FlashInfer all-reduce fusion is off (%s): %s",
            status.reason,
            status.detail,
        )
