"""Over which peers a workspace will meet, and what must be sent so that it is the right ones.

A wrong rendezvous hangs, or reduces over the wrong peers without an error. Releases differ in
it under equal signatures; what tells them apart is shape:

=========================  ============================  ====================================
shape                      TRT-LLM meets over            MNNVL meets over
=========================  ============================  ====================================
no ``group``, no torch     ``comm_backend``              ``comm_backend``
symmetric memory module
no ``group``, but that     WORLD, whatever is sent       the ``_group`` of a real
module                                                   ``TorchDistBackend``, else WORLD
``group`` is taken         ``group``, WORLD if None; in  ``comm_backend``; in some releases as
                           some, ``comm_backend`` first  in the row above
=========================  ============================  ====================================

So ``group`` and an instance of the upstream's own class over that same group are both sent.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch.distributed as dist

from flashinfer_comm_fusion.binding import SignatureState
from flashinfer_comm_fusion.status import ReasonCode, Refusal
from flashinfer_comm_fusion.topology import MNNVL, TRTLLM

if TYPE_CHECKING:
    from torch.distributed import ProcessGroup

    from flashinfer_comm_fusion.capabilities import Capabilities


def group_ranks(group: ProcessGroup | None, world_size: int) -> list[int] | None:
    """Global ranks of a group in group order; None where they cannot be told.

    Args:
        group: The group; None stands for WORLD.
        world_size: Ranks that the engine says the group has.
    """
    if not (dist.is_available() and dist.is_initialized()):
        # Without torch.distributed there is no WORLD to confuse the group with.
        return list(range(world_size)) if group is None else None
    ranks = (
        list(range(dist.get_world_size()))
        if group is None
        else list(dist.get_process_group_ranks(group))
    )
    return ranks if len(ranks) == world_size else None


def covers_world(ranks: list[int]) -> bool:
    """Whether these global ranks are all of WORLD, in WORLD's order."""
    everyone = dist.get_world_size() if dist.is_available() and dist.is_initialized() else None
    return everyone is None or ranks == list(range(everyone))


def check_subgroup(backend: str, capabilities: Capabilities) -> Refusal | None:
    """Whether a workspace for a strict subgroup of WORLD would meet over the right peers.

    Args:
        backend: The backend to create.
        capabilities: The upstream's shape.

    Returns:
        None where it would, provided that ``group`` and ``comm_backend`` are sent wherever they
        are taken; otherwise why not.
    """
    if capabilities.create_signature is not SignatureState.READABLE and not capabilities.group:
        return Refusal(
            ReasonCode.RENDEZVOUS_UNKNOWN,
            "the creating function does not say whether it takes group=, and the ranks are a "
            "strict subgroup of WORLD",
        )
    if backend == MNNVL:
        return _check_mnnvl(capabilities)
    if capabilities.group:
        return None
    if backend == TRTLLM and capabilities.comm_backend and not capabilities.torch_symmetric_memory:
        return None
    return Refusal(
        ReasonCode.RENDEZVOUS_WORLD,
        f"this upstream takes no group= and its {backend} workspace meets over WORLD, of which "
        "the ranks are a strict subgroup",
    )


def _check_mnnvl(capabilities: Capabilities) -> Refusal | None:
    if not capabilities.comm_backend:
        return Refusal(
            ReasonCode.RENDEZVOUS_UNKNOWN,
            "this upstream takes no comm_backend=, which its mnnvl workspace would meet over",
        )
    if capabilities.torch_symmetric_memory and not capabilities.torch_dist_backend:
        return Refusal(
            ReasonCode.RENDEZVOUS_UNKNOWN,
            "no TorchDistBackend was found, and another comm_backend may be passed over for WORLD",
        )
    return None
