"""What every consumer can be asked, whatever its own names are."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping

    import torch

    from driftgate.drive.engine import Coordinator, Engine
    from driftgate.trace import Status


@dataclass(frozen=True)
class Subject:
    """A consumer as its driver gets it.

    Attributes:
        name: As errors call it: a module's name, a file's path, or a release.
        files: For another project's modules, path in that project and text of each.
        standins: For those, the answer of each foreseen dotted path of the rest of the project.
        operations: Name in the modules of each operation that every release has.
        optional: The same of those that some have.
    """

    name: str
    files: tuple[tuple[str, str], ...] = ()
    standins: Mapping[str, str] = field(default_factory=dict)
    operations: Mapping[str, str] = field(default_factory=dict)
    optional: Mapping[str, str] = field(default_factory=dict)


class Driver(Protocol):
    """A consumer's operations. All tensors are 2-D: tokens x hidden size."""

    @property
    def lacks(self) -> frozenset[str]:
        """Operations, by their names here, that this consumer does not have: they are not asked.

        Beside them: ``status`` where it does not say why fusion is off, ``other_group`` where only
        the configured group can be asked about, ``every_size`` where it refuses what would fit
        on purpose, because something else is faster there, ``named_backend`` where it raises, on
        purpose, for one asked for by name that cannot be, and ``other_weight`` where it is not
        its modules that decide about a norm weight of another data type.
        """

    def load(self) -> None:
        """Import the consumer."""

    def forget(self) -> None:
        """Have the next :meth:`configure` find the consumer as if just imported."""

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

    def open_manager(
        self, tokens: int, hidden: int, dtype: torch.dtype, *, group_alone: bool = False
    ) -> bool:
        """Make a workspace manager by hand, for :meth:`check_size`; return whether it is ready.

        Told the device group and the CPU group, or ``group_alone`` and neither of them.
        """

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
