"""Where the ranks are, and which backend may run there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import torch

from flashinfer_comm_fusion.status import ReasonCode, Refusal

if TYPE_CHECKING:
    from collections.abc import Sequence

TRTLLM: Final = "trtllm"
MNNVL: Final = "mnnvl"
CUTEDSL: Final = "mnnvl-cutedsl"
AUTO: Final = "auto"

_HOPPER: Final = 90
_BLACKWELL: Final = frozenset({100, 103})


@dataclass(frozen=True)
class Topology:
    """The machine that a group runs on.

    Attributes:
        sm: Compute capability as an int, 90 for SM90.
        nodes: Nodes that the group spans.
        gpus_per_node: GPUs of the group on one node; None: the ranks divided by the nodes.
        multicast: Whether the devices support NVLink multicast; None: not known.
    """

    sm: int
    nodes: int = 1
    gpus_per_node: int | None = None
    multicast: bool | None = None

    def local_ranks(self, world_size: int) -> int:
        """Ranks of the group on one node."""
        return min(self.gpus_per_node or -(-world_size // self.nodes), world_size)


def read_topology(ranks: Sequence[int]) -> Topology | Refusal:
    """Read this process's topology from ``torch.cuda``, without any collective.

    Ranks are taken to be numbered node by node, and every device of a node to be visible; an
    engine that does otherwise must say what its topology is.

    Args:
        ranks: The group's global ranks.
    """
    if not torch.cuda.is_available():
        return Refusal(
            ReasonCode.UNSUPPORTED_TOPOLOGY, "no CUDA device here; pass topology= to configure()"
        )
    major, minor = torch.cuda.get_device_capability()
    per_node = torch.cuda.device_count()
    return Topology(
        sm=major * 10 + minor,
        nodes=len({rank // per_node for rank in ranks}) or 1,
    )


def resolve_backend(backend: str, topology: Topology) -> str | Refusal:
    """Turn the backend that was asked for into the one to create.

    Args:
        backend: ``auto``, ``trtllm``, ``mnnvl`` or ``mnnvl-cutedsl``.
        topology: The machine.

    Returns:
        A backend other than ``auto``, or why there is none.
    """
    blackwell = topology.sm in _BLACKWELL
    single_node = topology.nodes == 1
    if backend == AUTO:
        backend = MNNVL if blackwell else TRTLLM
    supported = {
        TRTLLM: single_node and (blackwell or topology.sm == _HOPPER),
        MNNVL: blackwell or (single_node and topology.sm == _HOPPER),
        CUTEDSL: blackwell,
    }.get(backend)
    if supported is None:
        return Refusal(ReasonCode.UNSUPPORTED_BACKEND, f"unknown backend {backend!r}")
    if not supported:
        return Refusal(
            ReasonCode.UNSUPPORTED_TOPOLOGY,
            f"{backend} does not run on SM{topology.sm} over {topology.nodes} node(s)",
        )
    if topology.multicast is False and backend != TRTLLM:
        return Refusal(
            ReasonCode.UNSUPPORTED_TOPOLOGY, f"{backend} needs NVLink multicast; there is none"
        )
    return backend
