# ruff: noqa: ANN401 - torch's and MPI's own objects
"""Split a communicator by colour, as every rank of it in turn."""

from __future__ import annotations

import contextlib
from functools import partial
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
_RANKS = 4
_COLOURS = 2


def play(release: Release) -> Json:
    """Return, for each rank, the groups that it had torch make, and whether it met peers after."""
    backend = release.get(_CLASS)
    records = []
    for rank in range(_RANKS):
        scene = Scene(world=_RANKS, ranks=(rank, *(each for each in range(_RANKS) if each != rank)))
        with staged(scene, release.controls), _hearing() as heard:
            ended = attempt(partial(_split, backend, rank))
        groups = [each for each in heard if each is not None]
        met_after = bool(heard) and heard[-1] is None
        records.append({"rank": rank, "groups": groups, "met_after": met_after, **ended})
    return records


def _split(backend: Any, rank: int) -> None:
    """Split into odd and even; on one process, say what the other ranks would."""
    communicator = backend()
    everyone = [(each % _COLOURS, each, each) for each in range(_RANKS)]
    communicator.allgather = lambda _: everyone
    communicator.Split(rank % _COLOURS, rank)


@contextlib.contextmanager
def _hearing() -> Iterator[list[list[int] | None]]:
    """Note the ranks of every group that torch is asked to make, and None for every barrier."""
    heard: list[list[int] | None] = []
    make, wait = distributed_c10d.new_group, distributed_c10d.barrier

    def new_group(ranks: Any = None, *args: Any, **kwargs: Any) -> Any:
        heard.append(sorted(ranks))
        return make(ranks, *args, **kwargs)

    def barrier(*args: Any, **kwargs: Any) -> Any:
        heard.append(None)
        return wait(*args, **kwargs)

    distributed_c10d.new_group = dist.new_group = new_group
    distributed_c10d.barrier = dist.barrier = barrier
    try:
        yield heard
    finally:
        distributed_c10d.new_group = dist.new_group = make
        distributed_c10d.barrier = dist.barrier = wait
