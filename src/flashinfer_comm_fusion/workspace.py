"""The life of one group's workspace: made once, grown, latched when it failed, given up."""

from __future__ import annotations

import atexit
import weakref
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import torch

from flashinfer_comm_fusion.capabilities import Upstream, probe
from flashinfer_comm_fusion.consensus import Council
from flashinfer_comm_fusion.creation import Request, create_agreed
from flashinfer_comm_fusion.inspection import Made, destroy
from flashinfer_comm_fusion.settings import current_settings
from flashinfer_comm_fusion.status import (
    PASSING,
    FusionStatus,
    ReasonCode,
    Refusal,
    StatusBoard,
    logger,
)
from flashinfer_comm_fusion.topology import AUTO, CUTEDSL

if TYPE_CHECKING:
    from torch.distributed import ProcessGroup

    from flashinfer_comm_fusion.gate import Gate
    from flashinfer_comm_fusion.settings import Settings


class FlashInferWorkspaceManager:
    """One group's workspace.

    A workspace is made at the first :meth:`initialize`, and made anew only to grow, or for other
    ranks or another dtype. Sizes only grow, over all that were ever asked for. What failed is not
    tried again: not by the next layer, not during a capture, not until a new manager.

    Growing replaces the memory that captured CUDA graphs point to, so an engine should ask for its
    largest sizes before it captures.

    Args:
        settings: The engine's; None: those that it gave to ``configure()``.

    Attributes:
        workspace: The upstream's workspace, or None.
        world_size: Ranks that it was made for.
        rank: This rank among them.
        group: ``(device_group, cpu_group)`` that it was made over.
        max_token_num: Tokens that it was made for.
        hidden_dim: Hidden size that it was made for.
        dtype: Dtype that it was made for.
        backend: Its backend.
        use_fp32_lamport: Its FP32-Lamport mode (TRT-LLM), else None.
        initialized: Whether there is one.
        gate: What decides about inputs; None without a workspace.
    """

    def __init__(self, settings: Settings | None = None) -> None:
        self._settings = settings or current_settings()
        self._board = StatusBoard()
        self._made_for: Request | None = None
        self._refused: Request | None = None
        self._is_final = False
        self._tokens_seen = 0
        self._hidden_seen = 0
        self._oneshot_seen = False
        self._council: Council | None = None
        self._forget()

    def _forget(self) -> None:
        self.workspace: Any = None
        self.world_size: int | None = None
        self.rank: int | None = None
        self.group: tuple[ProcessGroup | None, ProcessGroup | None] | None = None
        self.max_token_num: int | None = None
        self.hidden_dim: int | None = None
        self.dtype: torch.dtype | None = None
        self.backend: str | None = None
        self.use_fp32_lamport: bool | None = None
        self.initialized = False
        self.gate: Gate | None = None
        self._made_for = None

    @property
    def status(self) -> FusionStatus:
        """What this group's fusion is doing, and why."""
        return self._board.status

    @property
    def is_out(self) -> bool:
        """Whether no workspace will come any more."""
        return self._is_final

    def initialize(  # noqa: PLR0913, PLR0917 - SGLang's parameters
        self,
        world_size: int,
        rank: int,
        max_token_num: int,
        hidden_dim: int,
        backend: str = AUTO,
        group: ProcessGroup | None = None,
        use_fp32_lamport: bool = False,
        dtype: torch.dtype | None = None,
        use_oneshot: bool | None = None,
        device_group: ProcessGroup | None = None,
        cpu_group: ProcessGroup | None = None,
    ) -> None:
        """Make the workspace, or grow it, unless it serves this already.

        Collective over the CPU group whenever a workspace has to be made; every rank must call it
        with the same sizes. Never raises; :attr:`status` says what came of it.

        Args:
            world_size: Ranks of the group.
            rank: This rank in the group.
            max_token_num: Tokens to serve.
            hidden_dim: Hidden size to serve.
            backend: ``auto``, ``trtllm``, ``mnnvl`` or ``mnnvl-cutedsl``.
            group: The CPU group, where ``cpu_group`` is not given.
            use_fp32_lamport: Stands for ``dtype=torch.float32`` where no dtype is given. It is
                never sent: no upstream takes it, the mode follows from the dtype.
            dtype: Activations' dtype; None: bfloat16.
            use_oneshot: True: be large enough for one-shot at these sizes.
            device_group: The group that the kernels reduce over.
            cpu_group: The same ranks over a CPU backend, for votes.
        """
        if self._is_final:
            return
        request = self._grown(
            Request(
                backend=backend,
                world_size=world_size,
                rank=rank,
                max_token_num=max_token_num,
                hidden_dim=hidden_dim,
                dtype=dtype or (torch.float32 if use_fp32_lamport else torch.bfloat16),
                use_oneshot=use_oneshot,
                device_group=device_group,
                cpu_group=group if cpu_group is None else cpu_group,
            )
        )
        if self._is_pointless(request, max_token_num, hidden_dim, use_oneshot):
            return
        refusal = self._refuse_at_once(request)
        if refusal is not None:
            self.decline(refusal)
            return
        self._note_trouble(self._release())
        outcome = create_agreed(request, self._settings, self._council_of(request.cpu_group))
        if isinstance(outcome, Refusal):
            self._refused = request
            self.decline(outcome, "" if backend == AUTO else backend)
        else:
            self._adopt(outcome, request)

    def is_buffer_size_sufficient(
        self,
        token_num: int,
        hidden_dim: int,
        dtype: torch.dtype,
        use_oneshot: bool | None = None,
    ) -> bool:
        """Whether the workspace is large enough, by the upstream's own validator.

        Args:
            token_num: Rows.
            hidden_dim: Elements a row.
            dtype: Element type.
            use_oneshot: The strategy to ask about; None: the one that the upstream would choose.
        """
        return self.gate is not None and self.gate.fits(token_num, hidden_dim, dtype, use_oneshot)

    def serves(
        self,
        world_size: int,
        rank: int,
        group: tuple[ProcessGroup | None, ProcessGroup | None],
    ) -> bool:
        """Whether there is a workspace over exactly these peers."""
        return (
            self.initialized
            and self.world_size == world_size
            and self.rank == rank
            and self.group == group
        )

    def decline(self, refusal: Refusal, backend: str = "") -> None:
        """Take note that there will be no workspace; for good, unless the reason may pass.

        A live workspace stays, and stays active, when only a request for another was refused.
        """
        self._is_final = refusal.reason not in PASSING
        if self._is_final:
            self._dismiss_council()
        if not self.initialized:
            self._publish(
                FusionStatus(
                    active=False, reason=refusal.reason, backend=backend, detail=refusal.detail
                )
            )

    def cleanup(self) -> None:
        """Give the workspace up; idempotent, and survives a ``destroy`` that does not work."""
        had_one = self.initialized
        trouble = self._release()
        self._dismiss_council()
        self._note_trouble(trouble)
        if had_one and not self._is_final:
            self._publish(
                FusionStatus(
                    active=False,
                    reason=ReasonCode.NO_WORKSPACE,
                    detail=trouble or "the workspace was given up",
                )
            )

    def _council_of(self, cpu_group: ProcessGroup | None) -> Council:
        """The ranks of a group, over one connection for as long as they have a workspace."""
        if self._council is None or self._council.cpu_group is not cpu_group:
            self._dismiss_council()
            self._council = Council(cpu_group, self._settings.patience)
        return self._council

    def _dismiss_council(self) -> None:
        if self._council is not None:
            self._council.close()
            self._council = None

    def _grown(self, request: Request) -> Request:
        """Raise a request to the largest that was ever asked for."""
        self._tokens_seen = max(self._tokens_seen, request.max_token_num)
        self._hidden_seen = max(self._hidden_seen, request.hidden_dim)
        self._oneshot_seen = self._oneshot_seen or bool(request.use_oneshot)
        return replace(
            request,
            max_token_num=self._tokens_seen,
            # CuTe DSL serves the one hidden size that it was compiled for.
            hidden_dim=request.hidden_dim if request.backend == CUTEDSL else self._hidden_seen,
            use_oneshot=True if self._oneshot_seen else request.use_oneshot,
        )

    def _is_pointless(
        self, request: Request, tokens: int, hidden: int, use_oneshot: bool | None
    ) -> bool:
        """Whether making a workspace for ``request`` would change nothing."""
        if request in (self._refused, self._made_for):
            return True
        return self.serves(
            request.world_size, request.rank, (request.device_group, request.cpu_group)
        ) and self.is_buffer_size_sufficient(tokens, hidden, request.dtype, use_oneshot)

    def _refuse_at_once(self, request: Request) -> Refusal | None:
        """Reasons that are the same on all ranks, so that nobody has to vote."""
        if request.world_size <= 1:
            return Refusal(ReasonCode.SINGLE_RANK, "one rank has nothing to reduce")
        if not request.dtype.is_floating_point or request.dtype.itemsize not in (2, 4):
            return Refusal(ReasonCode.UNSUPPORTED_DTYPE, f"no kernels for {request.dtype}")
        if self._settings.is_capturing():
            return Refusal(
                ReasonCode.CAPTURING,
                "a graph is being captured and creation is collective; initialize before capture",
            )
        return None

    def _adopt(self, made: Made, request: Request) -> None:
        gate = made.gate
        self.workspace = gate.workspace
        self.world_size = request.world_size
        self.rank = request.rank
        self.group = gate.group_key
        self.max_token_num = request.max_token_num
        self.hidden_dim = request.hidden_dim
        self.dtype = request.dtype
        self.backend = gate.backend
        self.use_fp32_lamport = getattr(gate.arithmetic, "fp32_lamport", None)
        self.initialized = True
        self.gate = gate
        self._made_for = request
        self._refused = None
        _live.add(self)
        detail = f"world_size={request.world_size} rank={request.rank}"
        if gate.arithmetic is None:
            detail += "; off under torch.compile, the size check's arithmetic is not known"
        self._publish(
            FusionStatus(
                active=True,
                reason=None,
                backend=gate.backend,
                dropped=made.dropped,
                size_check=gate.size_check.described,
                detail=detail,
            )
        )

    def _release(self) -> str:
        """Give the workspace up without a word; returns what went wrong, or empty."""
        workspace = self.workspace
        self._forget()
        _live.discard(self)
        return "" if workspace is None else destroy(workspace)

    def _note_trouble(self, trouble: str) -> None:
        if trouble:
            logger.warning("a workspace could not be given up properly: %s", trouble)

    def _publish(self, status: FusionStatus) -> None:
        # Only what was probed on the way here: asking for a status must not import anything.
        upstream = probe() if probe.cache_info().currsize else None
        if isinstance(upstream, Upstream):
            status = replace(
                status, capabilities=upstream.capabilities, upstream_version=upstream.version
            )
        self._board.publish(status)


_live: weakref.WeakSet[FlashInferWorkspaceManager] = weakref.WeakSet()


@atexit.register
def _release_all() -> None:
    """Give every workspace up while the interpreter still works, and in silence."""
    for manager in list(_live):
        manager._release()  # noqa: SLF001 - this module's own
