"""Drive a module that speaks ``flashinfer_comm_fusion``'s public names: ours, or a file's."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from driftgate.drive.drivers import arguments
from driftgate.errors import DriftgateError
from driftgate.trace import Status

if TYPE_CHECKING:
    import torch

    from driftgate.drive.engine import Coordinator, Engine

OURS = "flashinfer_comm_fusion"
_OPERATIONS = (
    "FlashInferWorkspaceManager",
    "Topology",
    "can_use_flashinfer_allreduce",
    "cleanup_flashinfer_workspace",
    "configure",
    "ensure_workspace_initialized",
    "flashinfer_allreduce",
    "flashinfer_allreduce_residual_rmsnorm",
    "fusion_status",
    "reset",
    "resolve_flashinfer_allreduce_fusion_backend",
)


class MissingOperationError(DriftgateError, LookupError):
    """A consumer lacks an operation that it is driven through.

    Attributes:
        consumer: The module.
        operation: The name it lacks.
    """

    def __init__(self, consumer: str, operation: str) -> None:
        self.consumer = consumer
        self.operation = operation
        super().__init__(f"consumer {consumer} has no {operation!r}; export it from the module")


class InjectedDriver:
    """A consumer whose engine objects are injected; the attention-TP group is the one used."""

    def __init__(self, source: str) -> None:
        """Name the module: ``flashinfer_comm_fusion``, or the path of a Python file."""
        self._source = source
        self._module: Any = None
        self._manager: Any = None
        self._group: Coordinator | None = None

    @property
    def lacks(self) -> frozenset[str]:
        """Nothing: these names are what the scripts were written for."""
        return frozenset()

    def load(self) -> None:
        """Import the module, a file's as a module of its own.

        Raises:
            MissingOperationError: It lacks a public name.
        """
        if self._source == OURS:
            self._module = importlib.import_module(OURS)
        else:
            self._module = _load_file(Path(self._source))
        for name in _OPERATIONS:
            if not hasattr(self._module, name):
                raise MissingOperationError(self._source, name)

    def forget(self) -> None:
        """Nothing: modules with these names look at the upstream when they first need it."""

    def configure(  # noqa: PLR0913 - see Driver
        self,
        engine: Engine,
        group: Coordinator,
        *,
        backend: str | None,
        sm: int,
        nodes: int,
        multicast: bool,
    ) -> None:
        """Reset the module and inject this engine."""
        self._module.reset()
        self._group = group
        self._module.configure(
            attn_tp_group=group,
            backend=backend,
            topology=self._module.Topology(
                sm=sm,
                nodes=nodes,
                gpus_per_node=group.world_size // nodes,
                multicast=multicast,
            ),
            is_capturing=engine.is_capturing,
        )

    def resolve_backend(self) -> str | None:
        """See :class:`~driftgate.drive.drivers.base.Driver`."""
        backend = self._module.resolve_flashinfer_allreduce_fusion_backend()
        return None if backend is None else str(backend)

    def create(
        self, tokens: int, hidden: int, dtype: torch.dtype, *, use_oneshot: bool | None = None
    ) -> bool:
        """Ask for a workspace as an engine's layer does."""
        return bool(
            self._module.ensure_workspace_initialized(
                **arguments.of_creation(tokens, hidden, dtype, use_oneshot=use_oneshot),
                use_attn_tp_group=True,
            )
        )

    def open_manager(
        self, tokens: int, hidden: int, dtype: torch.dtype, *, group_alone: bool = False
    ) -> bool:
        """Make a ``FlashInferWorkspaceManager`` over the configured group."""
        group = self._group
        assert group is not None, "configure() comes first"  # noqa: S101 - scripts are ours
        self._manager = self._module.FlashInferWorkspaceManager()
        self._manager.initialize(
            backend=self.resolve_backend(),
            **arguments.of_manager(group, tokens, hidden, dtype, group_alone=group_alone),
        )
        return bool(self._manager.initialized)

    def can_use(self, tensor: torch.Tensor, group: Coordinator) -> bool:
        """See :class:`~driftgate.drive.drivers.base.Driver`."""
        return bool(
            self._module.can_use_flashinfer_allreduce(
                tensor,
                use_attn_tp_group=True,
                expected_world_size=group.world_size,
                expected_group_key=group.key,
            )
        )

    def check_size(
        self, tokens: int, hidden: int, dtype: torch.dtype, *, use_oneshot: bool | None = None
    ) -> bool:
        """See :class:`~driftgate.drive.drivers.base.Driver`."""
        return bool(
            self._manager.is_buffer_size_sufficient(
                token_num=tokens, hidden_dim=hidden, dtype=dtype, use_oneshot=use_oneshot
            )
        )

    def all_reduce(self, tensor: torch.Tensor) -> torch.Tensor:
        """See :class:`~driftgate.drive.drivers.base.Driver`."""
        result: torch.Tensor = self._module.flashinfer_allreduce(tensor, use_attn_tp_group=True)
        return result

    def fused(
        self, tensor: torch.Tensor, residual: torch.Tensor, weight: torch.Tensor, eps: float
    ) -> tuple[torch.Tensor, torch.Tensor] | None:
        """See :class:`~driftgate.drive.drivers.base.Driver`."""
        norm, residual_out = self._module.flashinfer_allreduce_residual_rmsnorm(
            tensor, residual, weight, eps=eps, use_attn_tp_group=True
        )
        return None if norm is None else (norm, residual_out)

    def cleanup(self) -> None:
        """Clean up the module's workspaces and the manager's."""
        if self._manager is not None:
            self._manager.cleanup()
        self._module.cleanup_flashinfer_workspace()

    def status(self) -> Status | None:
        """Translate ``fusion_status()``."""
        if self._module is None:
            return None
        said = self._module.fusion_status()
        reason = getattr(said.reason, "value", said.reason)
        return Status(
            active=bool(said.active),
            reason="" if said.active else str(reason or "unsaid"),
            backend=str(said.backend or ""),
            dropped=tuple(str(name) for name in said.dropped),
        )


def _load_file(path: Path) -> Any:  # noqa: ANN401 - whatever the file defines
    # As `python FILE` does: what lies beside the file can be imported by it.
    sys.path.insert(0, str(path.parent))
    spec = importlib.util.spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None:
        raise MissingOperationError(str(path), "source")
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    return module
