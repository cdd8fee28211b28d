"""Workspaces of many sizes, so that their parts come out at odd offsets if anything lets them."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

from driftgate.exercises.making import making
from driftgate.exercises.record import AbsentError
from driftgate.probes.cases.arguments import over
from driftgate.probes.model import DType

if TYPE_CHECKING:
    from driftgate.exercises.release import Release
    from driftgate.trace import Json

LOADS_ITSELF = False

_BACKEND = "mnnvl"
_RANKS = (2, 4, 8)
_TOKENS = (1, 7, 80, 333, 1025)
_HIDDEN = (1024, 2880, 7168)
_DTYPES = ("bfloat16", "float32")


def play(release: Release) -> Json:
    """Return the bytes of one of the buffers that each workspace is cut into.

    Raises:
        AbsentError: Workspaces say nothing of their buffers.
    """
    records = []
    for ranks in _RANKS:
        with making(release, over(ranks)) as maker:
            for tokens, hidden, dtype in product(_TOKENS, _HIDDEN, _DTYPES):
                workspace = maker.make(
                    _BACKEND, max_token_num=tokens, hidden_dim=hidden, dtype=DType(dtype)
                )
                size = getattr(workspace, "buffer_size_bytes", None)
                if size is None:
                    raise AbsentError(f"buffer_size_bytes in a workspace of {_BACKEND}")
                made = f"{tokens} x {hidden} {dtype} on {ranks} ranks"
                records.append({"made for": made, "bytes": int(size)})
    return records
