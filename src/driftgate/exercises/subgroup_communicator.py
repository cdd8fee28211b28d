# ruff: noqa: ANN401 - what the driver, torch and sockets take
"""A communicator over ranks that are not the first of WORLD: from whom a root's data comes."""

from __future__ import annotations

import contextlib
import functools
from typing import TYPE_CHECKING, Any

import torch.distributed as dist
from torch.distributed import distributed_c10d

from driftgate.exercises.making import attempt
from driftgate.probes.model import Scene
from driftgate.probes.stage import staged

if TYPE_CHECKING:
    from collections.abc import Iterator

    from driftgate.exercises.release import Release
    from driftgate.trace import Json

LOADS_ITSELF = False

_CLASS = "TorchDistBackend"
# Without global rank 0; with a rank that is both somebody's index and another one's number; whole.
_GROUPS = ((4, (2, 3)), (4, (1, 2, 3)), (8, (4, 5, 6, 7)), (4, (0, 1, 2, 3)))


def play(release: Release) -> Json:
    """Return, for each group and root, the global ranks that a broadcast drew on."""
    backend = release.get(_CLASS)
    records = []
    for world, ranks in _GROUPS:
        with staged(Scene(world=world, ranks=ranks), release.controls):
            group = dist.new_group(list(ranks))
            for root in range(len(ranks)):
                with _listening(group) as sources:
                    ended = attempt(functools.partial(backend(group=group).bcast, "x", root))
                # On the fake process group nothing arrives from another rank, so that unpacking
                # fails after the fact: only a broadcast that never started says why.
                text = "" if sources else f"{ended['outcome']}: {ended['text']}"
                records.append(
                    {"ranks": list(ranks), "root": root, "sources": sources, "failed": text}
                )
    return records


@contextlib.contextmanager
def _listening(group: Any) -> Iterator[list[int]]:
    """Note the global rank that each broadcast of a tensor draws on."""
    sources: list[int] = []
    original = distributed_c10d.broadcast

    def broadcast(tensor: Any, src: int | None = None, *args: Any, **kwargs: Any) -> Any:
        source = dist.get_global_rank(group, kwargs["group_src"]) if src is None else src
        if source not in sources:
            sources.append(source)
        return original(tensor, src, *args, **kwargs)

    distributed_c10d.broadcast = broadcast
    try:
        yield sources
    finally:
        distributed_c10d.broadcast = original
