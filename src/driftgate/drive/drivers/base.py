"""What every consumer can be asked, whatever its own names are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import torch

    from driftgate.drive.engine import Coordinator, Engine
    from driftgate.trace import Status


class Driver(Protocol):
    """A consumer's operations. All tensors are 2-D: tokens x hidden size."""

    def load(self) -> None:
        """Import the consumer."""

    def configure(  # noqa: PLR0913 - an engine says all of this at once
        self,
        engine: Engine,
        group: Coordinator,
        *,
        backend: str | None,
        sm: int,
        nodes: int,
        multicast: bool,
    ) -> None:
        """Tell the consumer about its engine, forgetting any other."""

    def resolve_backend(self) -> str | None:
        """Return the backend it would use, or None."""

    def create(
        self, tokens: int, hidden: int, dtype: torch.dtype, *, use_oneshot: bool | None = None
    ) -> bool:
        """Make sure of a workspace of at least this size; return whether there is one."""

    def can_use(self, tensor: torch.Tensor, group: Coordinator) -> bool:
        """Return whether an all-reduce of ``tensor`` over ``group`` may be fused."""

    def open_manager(self, tokens: int, hidden: int, dtype: torch.dtype) -> bool:
        """Make a workspace manager by hand, for :meth:`check_size`; return whether it is ready."""

    def check_size(
        self, tokens: int, hidden: int, dtype: torch.dtype, *, use_oneshot: bool | None = None
    ) -> bool:
        """Return whether that manager's workspace is large enough for this problem."""

    def all_reduce(self, tensor: torch.Tensor) -> torch.Tensor:
        """Return the sum over the group."""

    def fused(
        self, tensor: torch.Tensor, residual: torch.Tensor, weight: torch.Tensor, eps: float
    ) -> tuple[torch.Tensor, torch.Tensor] | None:
        """Return (norm, residual) of the fused operation, or None where it declines."""

    def cleanup(self) -> None:
        """Give back every workspace."""

    def status(self) -> Status | None:
        """Return what the consumer says of itself, or None where it cannot be asked."""
