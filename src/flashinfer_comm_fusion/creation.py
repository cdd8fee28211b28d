"""Making a workspace: ready? all agreed? make it, look at it, all agreed?

Creation is collective. So every rank comes to both votes whatever happens to it locally, and a
rank that failed says so there instead of leaving its peers in a rendezvous.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import torch
import torch.distributed as dist

from flashinfer_comm_fusion import rendezvous
from flashinfer_comm_fusion.attempt import Attempt
from flashinfer_comm_fusion.binding import Signature, SignatureState
from flashinfer_comm_fusion.capabilities import Upstream, find_symbol, probe
from flashinfer_comm_fusion.comm_backend import make_comm_backend
from flashinfer_comm_fusion.inspection import Made, destroy, inspect_workspace
from flashinfer_comm_fusion.kernel import sent_to_kernel
from flashinfer_comm_fusion.legality import kernel_dtypes, rank_count_supported
from flashinfer_comm_fusion.preflight import least_bytes
from flashinfer_comm_fusion.status import ReasonCode, Refusal, describe
from flashinfer_comm_fusion.topology import CUTEDSL, Topology, read_topology, resolve_backend

if TYPE_CHECKING:
    from collections.abc import Callable

    from torch.distributed import ProcessGroup

    from flashinfer_comm_fusion.capabilities import Capabilities
    from flashinfer_comm_fusion.consensus import Council
    from flashinfer_comm_fusion.settings import Settings

# Where releases define the CuTe DSL workspace before creation itself could make one, and what
# every release of that class takes.
_CUTEDSL_CLASS = "MNNVLCuteDSLAllReduceFusionWorkspace"
_CUTEDSL_HOME = "mnnvl_cutedsl_ar"
_CUTEDSL_BASE = frozenset({"tp_size", "tp_rank", "max_token_num", "hidden_dim", "dtype"})


@dataclass(frozen=True)
class Request:
    """A workspace that somebody wants.

    Attributes:
        backend: ``auto`` or a backend's name.
        world_size: Ranks of the group.
        rank: This rank in the group.
        max_token_num: Tokens to make it for.
        hidden_dim: Hidden size to make it for.
        dtype: Element type to make it for; FP32-Lamport mode follows from it upstream.
        use_oneshot: True: large enough for one-shot at any of these sizes. None: as the upstream
            chooses.
        device_group: The group that the kernels reduce over; None: all of WORLD.
        cpu_group: The same ranks over a CPU backend.
    """

    backend: str
    world_size: int
    rank: int
    max_token_num: int
    hidden_dim: int
    dtype: torch.dtype
    use_oneshot: bool | None
    device_group: ProcessGroup | None
    cpu_group: ProcessGroup | None


@dataclass(frozen=True)
class _Plan:
    """One call that makes the workspace, ready to be made."""

    request: Request
    upstream: Upstream
    backend: str
    factory: Callable[..., Any]
    symbol: str
    signature: Signature
    values: dict[str, Any]
    comm_backend: bool


def create_agreed(request: Request, settings: Settings, council: Council) -> Made | Refusal:
    """Make a workspace on all ranks of a group, or on none.

    Collective over the council's ranks; see :mod:`flashinfer_comm_fusion.consensus`.

    Args:
        request: What is wanted.
        settings: The engine's.
        council: The request's ranks.

    Returns:
        The workspace, or why there is none: this rank's own reason, or ``peer-failed``.
    """
    plan = _prepare_guarded(request, settings)
    agreed = council.agree(lambda: isinstance(plan, _Plan))
    if isinstance(plan, Refusal):
        return plan
    if not agreed:
        return Refusal(ReasonCode.PEER_FAILED, "another rank of the group is not ready")
    made, agreed = (_make_watched if council.can_wait else _make_at_once)(plan, council)
    if made is None:
        return Refusal(ReasonCode.PEER_FAILED, "another rank failed while this one waited for it")
    if isinstance(made, Refusal):
        return made
    if not agreed:
        destroy(made.gate.workspace)
        return Refusal(ReasonCode.PEER_FAILED, "another rank of the group made no workspace")
    return made


def _make_at_once(plan: _Plan, council: Council) -> tuple[Made | Refusal, bool]:
    made = _make(plan, council)
    return made, council.agree(lambda: isinstance(made, Made))


def _make_watched(plan: _Plan, council: Council) -> tuple[Made | Refusal | None, bool]:
    """Create while the ranks vote, so that one which fails frees those that wait for it inside.

    Returns:
        What was made, None if another rank ended it, and whether all agree.
    """
    attempt = Attempt(lambda: _make(plan, council), _destroy_made)
    is_overdue = False

    def ballot() -> bool | None:
        nonlocal is_overdue
        made = attempt.outcome()
        if made is not None:
            return isinstance(made, Made)
        is_overdue = attempt.seconds > council.patience
        return False if is_overdue else None

    agreed = council.agree(ballot)
    made = attempt.conclude()
    if made is None and is_overdue:
        late = f"{plan.symbol} did not come back within {council.patience:g} s"
        return Refusal(ReasonCode.CREATE_FAILED, late), False
    return made, agreed


def _destroy_made(made: Made | Refusal) -> None:
    if isinstance(made, Made):
        destroy(made.gate.workspace)


def _prepare_guarded(request: Request, settings: Settings) -> _Plan | Refusal:
    try:
        return _prepare(request, settings)
    except Exception as error:  # noqa: BLE001 - whatever it is, the peers wait for this rank's vote
        return Refusal(ReasonCode.CREATE_FAILED, f"while preparing: {describe(error)}")


def _prepare(request: Request, settings: Settings) -> _Plan | Refusal:
    upstream = probe()
    if isinstance(upstream, Refusal):
        return upstream
    ranks = rendezvous.group_ranks(request.device_group, request.world_size)
    if ranks is None:
        return Refusal(
            ReasonCode.RENDEZVOUS_UNKNOWN,
            f"the device group is not the {request.world_size} ranks that the engine says it is",
        )
    machine = settings.topology or read_topology(ranks)
    if isinstance(machine, Refusal):
        return machine
    plan = _plan(request, upstream, machine, ranks)
    return plan if isinstance(plan, Refusal) else _check_memory(plan, settings)


def _plan(
    request: Request, upstream: Upstream, machine: Topology, ranks: list[int]
) -> _Plan | Refusal:
    backend = resolve_backend(request.backend, machine)
    if isinstance(backend, Refusal):
        return backend
    refusal = _refuse_backend(request, backend, upstream.capabilities, ranks)
    if refusal is not None:
        return refusal
    write = _plan_cutedsl if backend == CUTEDSL else _plan_create
    plan = write(request, upstream, backend, machine)
    return plan if isinstance(plan, Refusal) else _check_unmet(plan)


def _refuse_backend(
    request: Request, backend: str, capabilities: Capabilities, ranks: list[int]
) -> Refusal | None:
    """Why this backend would not work for this request, or None."""
    if request.dtype not in kernel_dtypes(backend):
        return Refusal(ReasonCode.UNSUPPORTED_DTYPE, f"{backend} has no {request.dtype} kernels")
    if not rank_count_supported(backend, request.world_size, request.use_oneshot, capabilities):
        return Refusal(
            ReasonCode.UNSUPPORTED_RANK_COUNT,
            f"{backend} has no kernels for {request.world_size} ranks",
        )
    if rendezvous.covers_world(ranks):
        return None
    return rendezvous.check_subgroup(backend, capabilities)


def _plan_create(request: Request, upstream: Upstream, backend: str, machine: Topology) -> _Plan:
    values = {
        "backend": backend,
        "world_size": request.world_size,
        "rank": request.rank,
        "max_token_num": request.max_token_num,
        "hidden_dim": request.hidden_dim,
        "dtype": request.dtype,
    }
    grouped = request.device_group is not None
    if grouped:
        values["group"] = request.device_group
    if backend != CUTEDSL:
        # mnnvl-cutedsl refuses these three.
        values["gpus_per_node"] = machine.local_ranks(request.world_size)
        if request.use_oneshot is not None:
            values["force_oneshot_support"] = request.use_oneshot
    return _Plan(
        request=request,
        upstream=upstream,
        backend=backend,
        factory=upstream.create,
        symbol="create_allreduce_fusion_workspace",
        signature=upstream.create_signature,
        values=values,
        comm_backend=grouped and backend != CUTEDSL,
    )


def _plan_cutedsl(
    request: Request, upstream: Upstream, backend: str, machine: Topology
) -> _Plan | Refusal:
    if upstream.capabilities.cutedsl_option:
        return _plan_create(request, upstream, backend, machine)
    # Importing the class's home loads its compiler, so it is looked for only here.
    found = find_symbol(_CUTEDSL_CLASS, homes=(_CUTEDSL_HOME,))
    if not callable(found):
        return Refusal(ReasonCode.UNSUPPORTED_BACKEND, f"this upstream has no {backend} backend")
    values = {
        "tp_size": request.world_size,
        "tp_rank": request.rank,
        "max_token_num": request.max_token_num,
        "hidden_dim": request.hidden_dim,
        "dtype": request.dtype,
    }
    if request.device_group is not None:
        values["group"] = request.device_group
    return _Plan(
        request=request,
        upstream=upstream,
        backend=backend,
        factory=found,
        symbol=_CUTEDSL_CLASS,
        signature=Signature.read(found, _CUTEDSL_BASE),
        values=values,
        comm_backend=False,
    )


def _check_unmet(plan: _Plan) -> _Plan | Refusal:
    """Refuse where the upstream asks for something that this module does not know."""
    sent = {*plan.values, *(["comm_backend"] if plan.comm_backend else [])}
    unmet = [f"{plan.symbol}:{name}" for name in plan.signature.unmet(sent)]
    unmet += [
        f"allreduce_fusion:{name}"
        for name in plan.upstream.all_reduce_signature.unmet(sent_to_kernel(plan.backend))
    ]
    if not unmet:
        return plan
    return Refusal(ReasonCode.NO_UNIFIED_API, f"the upstream requires {', '.join(unmet)}")


def _check_memory(plan: _Plan, settings: Settings) -> _Plan | Refusal:
    """Refuse what cannot fit while that is still known before any peer waits for this rank."""
    request = plan.request
    free = settings.free_memory()
    need = least_bytes(
        plan.backend,
        request.world_size,
        (request.max_token_num, request.hidden_dim, request.dtype),
    )
    if free is None or free >= need:
        return plan
    return Refusal(
        ReasonCode.INSUFFICIENT_MEMORY,
        f"a {plan.backend} workspace takes at least {need} bytes, and {free} are free",
    )


def _make(plan: _Plan, council: Council) -> Made | Refusal:
    request = plan.request
    values = dict(plan.values)
    try:
        if plan.comm_backend and dist.is_initialized() and request.device_group is not None:
            values["comm_backend"] = make_comm_backend(
                plan.upstream.torch_dist_backend, request.device_group, council
            )
        by_position, by_keyword = plan.signature.arguments(values)
        workspace = plan.factory(*by_position, **by_keyword)
    except Exception as error:  # noqa: BLE001 - out of memory, a rendezvous that broke, a TypeError …
        guessed = plan.signature.state is not SignatureState.READABLE
        reason = (
            ReasonCode.SIGNATURE_UNREADABLE
            if guessed and isinstance(error, TypeError)
            else ReasonCode.CREATE_FAILED
        )
        return Refusal(reason, f"{plan.symbol}(backend={plan.backend!r}) raised {describe(error)}")
    if workspace is None:
        return Refusal(ReasonCode.CREATE_RETURNED_NONE, f"{plan.symbol} returned None")
    return inspect_workspace(
        workspace,
        upstream=plan.upstream,
        backend=plan.backend,
        world_size=request.world_size,
        groups=(request.device_group, request.cpu_group),
        made_for=(request.max_token_num, request.hidden_dim, request.dtype),
        dropped=tuple(f"{plan.symbol}:{name}" for name in plan.signature.rejected(values)),
    )
