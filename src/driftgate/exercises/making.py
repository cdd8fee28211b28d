# ruff: noqa: ANN401 - the release's own objects
"""Workspaces as a careful engine makes them, and what became of the attempt."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import torch

from driftgate.exercises.record import AbsentError
from driftgate.probes.cases.arguments import BACKENDS, creation
from driftgate.probes.model import Ref
from driftgate.probes.stage import staged
from driftgate.probes.values import Values

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from driftgate.exercises.release import Release
    from driftgate.probes.model import Scene
    from driftgate.trace import Json

_CREATE = "create_allreduce_fusion_workspace"
_ALL_REDUCE = 0  # the pattern without a norm
__all__ = ["BACKENDS", "Maker", "all_reduce", "attempt", "making", "require_unified"]


@dataclass(frozen=True)
class Maker:
    """Makes workspaces in one scene.

    Attributes:
        release: Of this release.
        scene: The machine, the group.
        values: What makes real the arguments of a probe.
    """

    release: Release
    scene: Scene
    values: Values

    def group(self) -> Any:
        """The scene's process group."""
        return self.values.make(Ref.GROUP, None)

    def make(self, backend: str, **changes: Any) -> Any:
        """Make a workspace; what the release raises leaves this method."""
        arguments = creation(self.scene, backend=backend, **changes)
        create = getattr(self.release.comm, _CREATE)
        return create(**self.values.make_all(arguments, None))


def all_reduce(release: Release, workspace: Any, tensor: torch.Tensor, **options: Any) -> None:
    """Reduce a tensor by the unified call, with these options."""
    release.comm.allreduce_fusion(
        input=tensor,
        workspace=workspace,
        pattern=_ALL_REDUCE,
        output=torch.empty_like(tensor),
        **options,
    )


def require_unified(release: Release) -> None:
    """Do nothing for a release that has the unified API; older ones do not stand on the seams.

    Raises:
        AbsentError: It has not.
    """
    if not hasattr(release.comm, _CREATE):
        raise AbsentError(_CREATE)


@contextlib.contextmanager
def making(release: Release, scene: Scene) -> Iterator[Maker]:
    """Be the first rank of the scene's group meanwhile.

    Raises:
        AbsentError: The release has no unified API.
    """
    require_unified(release)
    with staged(scene, release.controls):
        yield Maker(release, scene, Values(release.comm, scene))


def attempt(call: Callable[[], Any]) -> dict[str, Json]:
    """Call it; say ``ok``, or what it raised and its text."""
    try:
        call()
    except Exception as error:  # noqa: BLE001 - what a release raises is its answer
        return {"outcome": type(error).__name__, "text": str(error)}
    return {"outcome": "ok", "text": ""}
