"""What every workspace of this process must know of the engine."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch

if TYPE_CHECKING:
    from collections.abc import Callable

    from flashinfer_comm_fusion.topology import Topology


def stream_is_capturing() -> bool:
    """Whether this thread's CUDA stream is capturing a graph."""
    return torch.cuda.is_available() and torch.cuda.is_current_stream_capturing()


@dataclass(frozen=True)
class Settings:
    """What a workspace manager must know of the engine.

    Attributes:
        topology: The machine; None: read from ``torch.cuda`` when it is needed.
        is_capturing: Whether a graph is being captured, when nothing collective may start.
    """

    topology: Topology | None = None
    is_capturing: Callable[[], bool] = stream_is_capturing


class _Holder:
    current = Settings()


def current_settings() -> Settings:
    """The engine's settings, or the defaults before there is an engine."""
    return _Holder.current


def install_settings(settings: Settings) -> None:
    """Make ``settings`` those of managers that are given none."""
    _Holder.current = settings
