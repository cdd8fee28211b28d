"""What every workspace of this process must know of the engine."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import torch

if TYPE_CHECKING:
    from collections.abc import Callable

    from flashinfer_comm_fusion.topology import Topology


def stream_is_capturing() -> bool:
    """Whether this thread's CUDA stream is capturing a graph."""
    return torch.cuda.is_available() and torch.cuda.is_current_stream_capturing()


def free_device_memory() -> int | None:
    """Bytes free on this process's CUDA device; None where there is none."""
    return torch.cuda.mem_get_info()[0] if torch.cuda.is_available() else None


# Upstreams may compile their kernels at the first creation, which takes minutes.
PATIENCE: Final = 300.0


@dataclass(frozen=True)
class Settings:
    """What a workspace manager must know of the engine.

    Attributes:
        topology: The machine; None: read from ``torch.cuda`` when it is needed.
        is_capturing: Whether a graph is being captured, when nothing collective may start.
        free_memory: Bytes that a workspace may take; None where that is not known.
        patience: Seconds that a rank waits for its peers, and for a creation to come back. A rank
            that fails ends the wait of all at once; this is for ranks that say nothing any more.
    """

    topology: Topology | None = None
    is_capturing: Callable[[], bool] = stream_is_capturing
    free_memory: Callable[[], int | None] = free_device_memory
    patience: float = PATIENCE


class _Holder:
    current = Settings()


def current_settings() -> Settings:
    """The engine's settings, or the defaults before there is an engine."""
    return _Holder.current


def install_settings(settings: Settings) -> None:
    """Make ``settings`` those of managers that are given none."""
    _Holder.current = settings
