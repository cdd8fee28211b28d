# ruff: noqa: ANN401 - the modules' own functions
"""Drive the FlashInfer all-reduce that a vLLM release ships: a communicator, and a fusion pass."""

from __future__ import annotations

import contextlib
import gc
import logging
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import torch

from driftgate.drive.drivers.foreign import ForeignModules, Machine, call
from driftgate.drive.drivers.vllm_patterns import takes_weight
from driftgate.trace import Status

if TYPE_CHECKING:
    from collections.abc import Callable

    from driftgate.drive.drivers.base import Subject
    from driftgate.drive.engine import Coordinator, Engine

_MIB = 1 << 20
# vLLM's own default: more than its table of sizes lets through.
_BATCHED_TOKENS = 8192
_EPS = 1e-6
_FP4_SM = 100


class VllmDriver:
    """The pass makes the workspace and runs the fused operation; the communicator reduces.

    vLLM makes one pass and one communicator for the tensor-parallel group, and grows neither.
    """

    def __init__(self, subject: Subject) -> None:
        self._modules = ForeignModules(subject, self._answers())
        self._pass: Any = None
        self._communicator: Any = None
        self._dtype = torch.bfloat16
        self._hidden = 0

    def _answers(self) -> dict[str, Any]:
        return {
            "backend": lambda: self._modules.here.backend,
            "capability": lambda: SimpleNamespace(to_int=lambda: self._modules.here.sm),
            "fp8": lambda: torch.float8_e4m3fn,
            "group": lambda: self._modules.here.group,
            "group size": lambda: self._modules.here.group.world_size,
            "has capability": lambda: self._has_capability,
            "logger": lambda: _OnceLogger,
            "max sizes": self._max_sizes,
            "no table": dict,
            "node count": lambda: lambda *_: self._modules.here.nodes,
            "nodes": lambda: self._modules.here.nodes,
            "pass": self._pass_class,
            "no patterns": lambda: _no_patterns,
            "rank": lambda: self._modules.here.group.rank_in_group,
            "register operator": lambda: _register_operator,
            "sync allowed": lambda: lambda **_: contextlib.nullcontext(),
        }

    @property
    def lacks(self) -> frozenset[str]:
        """See :class:`~driftgate.drive.drivers.base.Driver`."""
        missing = {"open_manager", "check_size", "other_group", "every_size", "named_backend"}
        if not self._modules.offers("communicator"):
            missing |= {"can_use", "all_reduce", "resolve_backend"}
        matches_itself = self._modules.find("MatcherFusedAddRMSNorm") is None
        if not (matches_itself and self._modules.offers("add norm")):
            missing |= {"other_weight"}
        return frozenset({*missing, "status"})

    def load(self) -> None:
        """Import the modules, over the operators that vLLM registers elsewhere."""
        for name in ("rms_norm", "fused_add_rms_norm"):
            _define_operator("vllm_ir", f"{name}() -> ()")
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
        multicast: bool,  # noqa: ARG002 - vLLM does not ask
    ) -> None:
        """Restart the modules in this engine."""
        self._pass = self._communicator = None
        self._modules.restart(Machine(engine, group, backend, sm, nodes))
        if self._modules.offers("communicator"):
            communicator = self._modules.operation("communicator")
            self._communicator = communicator(group=group.device_group, device="cuda:0")

    def resolve_backend(self) -> str | None:
        """Make the pass: vLLM chooses the backend where it makes the workspace."""
        environment = self._modules.here.engine.environment
        made = self.create(
            environment.max_token_num, environment.hidden_dim, self._modules.here.engine.dtype
        )
        return str(self._modules.find("_fi_ar_workspace").backend) if made else None

    def create(
        self,
        tokens: int,  # noqa: ARG002 - vLLM sizes the workspace by its own table
        hidden: int,
        dtype: torch.dtype,
        *,
        use_oneshot: bool | None = None,  # noqa: ARG002 - vLLM chooses
    ) -> bool:
        """Make the fusion pass, once: what it finds then is what there is."""
        if self._pass is None:
            self._hidden, self._dtype = hidden, dtype
            self._pass = self._modules.operation("pass")(self._config())
        return hasattr(self._pass, "allreduce_params")

    def open_manager(
        self, tokens: int, hidden: int, dtype: torch.dtype, *, group_alone: bool = False
    ) -> bool:
        """Not offered: vLLM has no managers."""
        raise NotImplementedError

    def check_size(
        self, tokens: int, hidden: int, dtype: torch.dtype, *, use_oneshot: bool | None = None
    ) -> bool:
        """Not offered: vLLM asks a workspace only about an input."""
        raise NotImplementedError

    def can_use(self, tensor: torch.Tensor, group: Coordinator) -> bool:  # noqa: ARG002 - it has its own
        """Ask the communicator, while there is one; it looks at tensors on a GPU only."""
        return self._communicator is not None and bool(
            self._communicator.should_use_fi_ar(tensor.as_subclass(_OnGpu))
        )

    def all_reduce(self, tensor: torch.Tensor) -> torch.Tensor:
        """See :class:`~driftgate.drive.drivers.base.Driver`."""
        result: torch.Tensor = self._communicator.all_reduce(tensor)
        return result

    def fused(
        self, tensor: torch.Tensor, residual: torch.Tensor, weight: torch.Tensor, eps: float
    ) -> tuple[torch.Tensor, torch.Tensor] | None:
        """Call what the pass puts in place of an all-reduce, an addition and a norm: in place.

        Without a pass, this is a compiled graph that came out of vLLM's cache.
        """
        parameters = self._parameters(tensor)
        if parameters is None or not self._takes_weight(tensor, weight):
            return None
        patterns = self._modules.find("flashinfer_comm").AllReduceFusionPattern
        norm = tensor.clone()
        self._modules.operation("fused")(
            allreduce_in=norm,
            residual=residual,
            rms_gamma=weight,
            rms_eps=eps,
            pattern_code=patterns.kARResidualRMSNorm,
            **parameters.get_trtllm_fused_allreduce_kwargs(),
        )
        return norm, residual

    def _parameters(self, tensor: torch.Tensor) -> Any:
        """Return what a compiled graph holds of the pass; None where none replaces this layer."""
        tokens = tensor.shape[0]
        if self._pass is None and self._modules.offers("parameters"):
            group = self._modules.here.group
            return call(
                self._modules.operation("parameters"),
                rank=group.rank_in_group,
                world_size=group.world_size,
                max_token_num=tokens,
            )
        if not hasattr(self._pass, "allreduce_params"):
            return None
        fits = self._pass.is_applicable_for_range(SimpleNamespace(end=tokens))
        return self._pass.allreduce_params if fits else None

    def _takes_weight(self, tensor: torch.Tensor, weight: torch.Tensor) -> bool:
        """Whether some pattern of the pass replaces a layer whose weight is of that type."""
        if weight.dtype == tensor.dtype:
            return True
        names = ["add norm"]
        if self._has_capability(_FP4_SM) and getattr(self._pass, "supports_quant_fusion", True):
            names.append("add norm fp4")
        norm = torch.ops.vllm_ir.fused_add_rms_norm.default
        return any(
            takes_weight(
                self._modules.operation(name)(
                    _EPS, tensor.dtype, "cpu", self._pass.allreduce_params
                ),
                norm,
                tensor.dtype,
                weight.dtype,
            )
            for name in names
        )

    def cleanup(self) -> None:
        """Let the pass go, then destroy the communicator and forget it, as vLLM's shutdown does."""
        self._pass = None
        gc.collect()
        if self._communicator is not None:
            self._communicator.destroy()
            self._communicator = None

    def status(self) -> Status | None:
        """Derive it: vLLM disables its parts and does not say why."""
        workspace = self._modules.find("_fi_ar_workspace")
        tensor = self._modules.find("_FI_WORKSPACE_TENSOR")
        if self._modules.machine is None:
            return None
        if workspace is None and (tensor is None or self._pass is None):
            return Status(active=False, reason="unsaid")
        return Status(active=True, backend=str(getattr(workspace, "backend", "trtllm")))

    def _has_capability(self, least: int) -> bool:
        return self._modules.here.sm >= least

    def _max_sizes(self) -> dict[int, float]:
        """Return MiB by rank count: vLLM's configuration reads the pass' own table."""
        table = self._modules.find("FI_ALLREDUCE_FUSION_MAX_SIZE_MB")
        sizes: dict[int, float] = table.get(self._modules.here.sm, {})
        return sizes

    def _config(self) -> SimpleNamespace:
        environment = self._modules.here.engine.environment

        def max_size(ranks: int) -> int | None:
            if environment.limited:
                return environment.max_token_num * environment.hidden_dim * self._dtype.itemsize
            size = self._max_sizes().get(ranks)
            return None if size is None else int(size * _MIB)

        return SimpleNamespace(
            model_config=SimpleNamespace(get_hidden_size=lambda: self._hidden),
            scheduler_config=SimpleNamespace(max_num_batched_tokens=_BATCHED_TOKENS),
            speculative_config=_with_draft(environment.draft_hidden_dim),
            compilation_config=SimpleNamespace(
                pass_config=SimpleNamespace(flashinfer_max_size=max_size)
            ),
        )

    def _pass_class(self) -> type:
        driver = self

        class Pass:
            """The base of vLLM's pattern passes, without the patterns."""

            def __init__(self, _config: object) -> None:
                self.model_dtype = driver._dtype
                self.device = "cpu"

            def dump_patterns(self, _config: object, _patterns: object) -> None:
                """Do nothing: there are none."""

        return Pass


def _with_draft(hidden: int) -> SimpleNamespace | None:
    """Return vLLM's settings of a draft model of this width; None without one."""
    if not hidden:
        return None
    return SimpleNamespace(draft_model_config=SimpleNamespace(get_hidden_size=lambda: hidden))


class _OnGpu(torch.Tensor):
    """A tensor that says it is on a GPU; what is computed from it is a plain tensor."""

    # As torch documents it for subclasses that leave everything to the base.
    __torch_function__ = torch._C._disabled_torch_function_impl  # type: ignore[assignment]  # noqa: SLF001
    is_cuda = True


class _OnceLogger:
    """A logger that also has vLLM's ``…_once`` methods."""

    def __init__(self, name: str) -> None:
        self._logger = logging.getLogger(name)
        self._said: set[tuple[Any, ...]] = set()

    def __getattr__(self, name: str) -> Callable[..., None]:
        method: Callable[..., None] = getattr(self._logger, name.removesuffix("_once"))
        if not name.endswith("_once"):
            return method

        def once(*args: Any, **_: Any) -> None:
            if (name, *args) not in self._said:
                self._said.add((name, *args))
                method(*args)

        return once


def _no_patterns(_register: Callable[..., None]) -> Callable[[Any], None]:
    """Stand in for the registration of patterns, which leaves the pass enabled."""

    def enable(fusion_pass: Any) -> None:
        fusion_pass.disabled = False

    return enable


_LIBRARIES: dict[str, Any] = {}


def _define_operator(namespace: str, schema: str) -> None:
    library = _LIBRARIES.get(namespace)
    if library is None:
        make: Callable[..., Any] = torch.library.Library
        library = _LIBRARIES[namespace] = make(namespace, "FRAGMENT")
    library.define(schema)


def _register_operator(
    op_name: str, op_func: Callable[..., Any], mutates_args: list[str], **_: Any
) -> None:
    """Define the operator, so that ``torch.ops`` has it; the driver calls the function itself."""
    if not hasattr(torch.ops.vllm, op_name):
        schema = torch.library.infer_schema(op_func, mutates_args=mutates_args)
        _define_operator("vllm", f"{op_name}{schema}")
