# ruff: noqa: ANN401 - the module's own functions
"""Drive the fusion module that an SGLang release ships."""

from __future__ import annotations

import inspect
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import torch

from driftgate.drive.drivers import arguments
from driftgate.drive.drivers.cuda_driver import PretendedCudaDriver
from driftgate.drive.drivers.custom_ops import CustomOps
from driftgate.drive.drivers.foreign import ForeignModules, Machine, call
from driftgate.drive.engine import MoeGroups
from driftgate.trace import Status

if TYPE_CHECKING:
    from collections.abc import Callable

    from driftgate.drive.drivers.base import Subject
    from driftgate.drive.engine import Coordinator, Engine

_HOPPER, _BLACKWELL = 9, 10
# SGLang's command line takes no other.
_BACKENDS = ("auto", "trtllm", "mnnvl", "cutedsl", None)


class SglangDriver:
    """The module's groups are those of the engine; one process has one, which is both.

    Attributes:
        attention: Whether the next operation is about the attention layers' group, or about that of
            the MoE layers.
    """

    attention: bool = True
    _fused: Callable[..., Any]
    _takes_site: bool

    def __init__(self, subject: Subject) -> None:
        self._ops = CustomOps()
        self._modules = ForeignModules(subject, self._answers())
        self._buffers: dict[str, Any] = {}
        self._manager: Any = None
        self._refused = False

    def _answers(self) -> dict[str, Callable[[], Any]]:
        return {
            "backend": lambda: self._modules.here.backend,
            "buffers": lambda: self._buffers,
            "ceil_align": lambda: _ceil_align,
            "cuda driver": self._cuda_driver,
            "expert group": lambda: self._moe.experts,
            "expert rank": lambda: self._moe.experts.rank_in_group if self._moe.experts else 0,
            "expert ranks": lambda: self._moe.experts.world_size if self._moe.experts else 1,
            "experts both ways": lambda: self._moe.experts is not None,
            "group": lambda: self._modules.here.group,
            "group size": lambda: self._modules.here.group.world_size,
            "is sm100": lambda: self._modules.here.is_major(_BLACKWELL),
            "is sm90": lambda: self._modules.here.is_major(_HOPPER),
            "moe group": lambda: self._moe.whole,
            "slice group": lambda: self._moe.slices,
            "slice rank": lambda: self._moe.slices.rank_in_group,
            "slice ranks": lambda: self._moe.slices.world_size,
            "registered operator": lambda: self._ops.registered,
            "registers operators": lambda: self._ops.register,
            "nodes": lambda: self._modules.here.nodes,
            "on first node": lambda: lambda *_, **__: self._modules.here.on_first_node(),
            "one clique": lambda: _yes,
            "rank": lambda: self._modules.here.group.rank_in_group,
        }

    def _cuda_driver(self) -> PretendedCudaDriver:
        pretended = self._modules.here.engine.environment
        return PretendedCudaDriver(
            full="create_raises_oom" in pretended.faults, multicast=pretended.multicast
        )

    @property
    def _moe(self) -> MoeGroups:
        here = self._modules.here
        moe: MoeGroups | None = getattr(here.engine, "moe", None)
        return moe or MoeGroups(here.group, None, here.group)

    @property
    def lacks(self) -> frozenset[str]:
        """See :class:`~driftgate.drive.drivers.base.Driver`."""
        operations = ("can_use", "all_reduce", "resolve_backend")
        missing = {name for name in operations if not self._modules.offers(name)}
        if "can_use" in missing:
            missing.add("other_group")
        manager = self._modules.operation("manager")
        if not hasattr(manager, "is_buffer_size_sufficient"):
            missing |= {"open_manager", "check_size"}
        return frozenset({*missing, "status"})

    def load(self) -> None:
        """Import the module on a machine whose current device is 0."""
        torch.cuda.current_device = lambda: 0
        self._modules.load()

    def forget(self) -> None:
        """See :class:`~driftgate.drive.drivers.base.Driver`."""
        self._modules.forget()

    def configure(  # noqa: PLR0913 - see Driver
        self,
        engine: Engine,
        group: Coordinator,
        *,
        backend: str | None,
        sm: int,
        nodes: int,
        multicast: bool,  # noqa: ARG002 - SGLang asks the CUDA driver
    ) -> None:
        """Restart the module in this engine, which asks for its backend as SGLang's start-up does.

        A machine that the module refuses there is one on which the server does not start.
        """
        self._buffers = {}
        self._manager = None
        self._modules.restart(Machine(engine, group, backend, sm, nodes))
        fused = self._modules.operation("fused")
        self._takes_site = "use_attn_tp_group" in inspect.signature(fused).parameters
        self._fused = self._ops.instead_of(fused)
        self._refused = self._modules.offers("resolve_backend") and self.resolve_backend() is None

    def resolve_backend(self) -> str | None:
        """Ask the module; it says no by a ValueError."""
        here = self._modules.here
        if here.backend not in _BACKENDS:
            return None
        server = SimpleNamespace(
            flashinfer_allreduce_fusion_backend=here.backend, nnodes=here.nodes
        )
        try:
            backend = call(self._modules.operation("resolve_backend"), server_args=server)
        except ValueError:
            return None
        return None if backend is None else str(backend)

    def create(
        self, tokens: int, hidden: int, dtype: torch.dtype, *, use_oneshot: bool | None = None
    ) -> bool:
        """Ask for a workspace as an engine's layer does."""
        if self._refused:
            return False
        return bool(
            call(
                self._modules.operation("create"),
                **arguments.of_creation(tokens, hidden, dtype, use_oneshot=use_oneshot),
                use_attn_tp_group=self.attention,
            )
        )

    def open_manager(
        self, tokens: int, hidden: int, dtype: torch.dtype, *, group_alone: bool = False
    ) -> bool:
        """Make a workspace manager over the configured group."""
        group = self._modules.here.group
        self._manager = self._modules.operation("manager")()
        backend = self.resolve_backend() if self._modules.offers("resolve_backend") else None
        call(
            self._manager.initialize,
            **({"backend": backend} if backend else {}),
            **arguments.of_manager(group, tokens, hidden, dtype, group_alone=group_alone),
        )
        return bool(self._manager.initialized)

    def can_use(self, tensor: torch.Tensor, group: Coordinator) -> bool:
        """See :class:`~driftgate.drive.drivers.base.Driver`."""
        return bool(
            self._modules.operation("can_use")(
                tensor,
                use_attn_tp_group=self.attention,
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
        result: torch.Tensor = self._modules.operation("all_reduce")(
            tensor, use_attn_tp_group=self.attention
        )
        return result

    def fused(
        self, tensor: torch.Tensor, residual: torch.Tensor, weight: torch.Tensor, eps: float
    ) -> tuple[torch.Tensor, torch.Tensor] | None:
        """See :class:`~driftgate.drive.drivers.base.Driver`."""
        if self._refused:
            return None
        # Nothing is looked up here: a compiler traces it.
        site = {"use_attn_tp_group": self.attention} if self._takes_site else {}
        norm, residual_out = self._fused(
            input_tensor=tensor, residual=residual, weight=weight, eps=eps, **site
        )
        return None if norm is None else (norm, residual_out)

    def cleanup(self) -> None:
        """Clean up the module's workspaces and the manager's."""
        if self._manager is not None:
            self._manager.cleanup()
        self._modules.operation("cleanup")()

    def status(self) -> Status | None:
        """Derive it: the module says only whether it has given up, and never why."""
        if self._modules.machine is None:
            return None
        manager = self._engine_manager()
        given_up = self._modules.offers("unavailable") and self._modules.operation("unavailable")()
        if given_up or not getattr(manager, "initialized", False):
            return Status(active=False, reason="unsaid")
        # Before the unified API there was one backend, and no workspace to ask.
        workspace = getattr(manager, "workspace", None)
        return Status(active=True, backend=str(getattr(workspace, "backend", "trtllm")))

    def _engine_manager(self) -> Any:
        find = self._modules.find("_get_workspace_manager")
        return self._modules.find("_workspace_manager") if find is None else find(self.attention)


def _ceil_align(value: int, unit: int) -> int:
    return -(-value // unit) * unit


def _yes(*_: Any, **__: Any) -> bool:
    return True
