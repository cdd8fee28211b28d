"""Note every collective that is entered and left, so that a hang can be named."""

from __future__ import annotations

import functools
import sys
import threading
from typing import TYPE_CHECKING, Any

import torch.distributed as dist

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType

    from driftgate.drive.upstream import Upstream
    from driftgate.ranks.journal import Journal

_COLLECTIVES = (
    "all_gather",
    "all_gather_object",
    "all_reduce",
    "barrier",
    "broadcast",
    "broadcast_object_list",
    "gather_object",
    "monitored_barrier",
    "recv",
    "reduce",
    "send",
)


def watch_collectives(journal: Journal) -> None:
    """Wrap the collectives of ``torch.distributed`` in this process, for good.

    Only the outermost call of the main thread is noted; whatever it calls in turn is torch's.
    """
    for name in _COLLECTIVES:
        setattr(dist, name, _watched(name, getattr(dist, name), journal))


def watch_meetings(upstream: Upstream, journal: Journal) -> None:
    """Note every rendezvous of a workspace that is begun and completed."""
    main = threading.main_thread()

    def note(kind: str, symbol: str, data: dict[str, Any]) -> None:
        if threading.current_thread() is not main:
            return  # whoever waits is elsewhere, and says so
        if kind == "meeting":
            journal.enter({"call": f"rendezvous of {symbol}", "ranks": data["ranks"], "site": ""})
        elif kind == "rendezvous":
            journal.leave()

    upstream.subscribe(note)


def _watched(name: str, original: Callable[..., Any], journal: Journal) -> Callable[..., Any]:
    main = threading.main_thread()

    @functools.wraps(original)
    def watched(*args: Any, **kwargs: Any) -> Any:  # noqa: ANN401 - any collective's
        if threading.current_thread() is not main:
            return original(*args, **kwargs)
        caller = sys._getframe(1)  # noqa: SLF001 - inspect.currentframe() is the same, and slower
        journal.enter({"call": name, "ranks": _ranks(args, kwargs), "site": _site(caller)})
        try:
            return original(*args, **kwargs)
        finally:
            journal.leave()

    return watched


def _ranks(args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[int]:
    groups = [value for value in (*args, *kwargs.values()) if isinstance(value, dist.ProcessGroup)]
    return dist.get_process_group_ranks(groups[0] if groups else dist.group.WORLD)


def _site(frame: FrameType) -> str:
    return f"{frame.f_code.co_filename}:{frame.f_lineno}"
