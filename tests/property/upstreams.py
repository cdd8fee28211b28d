"""What properties are tried over: every stub that fuses, or the releases that a variable names.

``DRIFTGATE_WHEELS`` takes what ``driftgate compat --upstream`` takes, separated by spaces:
``wheels``, or ``wheel:0.7.4 wheels:>=0.6.8,<0.7``. The releases must be in the wheel store.
"""

from __future__ import annotations

import os
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from driftgate.drive.loading import WheelControls, put_stub
from driftgate.drive.upstream import scratch_folder
from driftgate.paths import find_project
from driftgate.upstreams import choose_upstreams, find_upstream
from driftgate.wheels.load import RefusedRelease
from driftgate.wheels.table import read_seam_table
from fusion.processes import finish, start

if TYPE_CHECKING:
    from collections.abc import Callable

VARIABLE = "DRIFTGATE_WHEELS"
PROJECT = find_project(Path(__file__).parent)


def names() -> list[str]:
    """Upstreams where fusion is active in the plainest environment."""
    chosen = choose_upstreams(os.environ.get(VARIABLE, "").split(), PROJECT)
    return [
        name
        for name in chosen
        if not any(fnmatchcase("h100", row) for row in find_upstream(name, PROJECT).degraded)
    ]


def over(name: str, function: Callable[..., Any], *arguments: Any) -> Any:
    """Run ``function(controls, *arguments)`` in a child that holds the upstream.

    Skips a release that is not in the store, or that this interpreter cannot import.
    """
    upstream = find_upstream(name, PROJECT)
    if upstream.missing:
        pytest.skip(upstream.missing)

    def inside() -> Any:
        if upstream.release is None:
            return function(put_stub(tuple(map(str, upstream.folders))), *arguments)
        table = read_seam_table(Path(upstream.release.seams))
        controls = WheelControls()
        with scratch_folder() as scratch:
            (folder,) = upstream.folders
            release = controls.load(folder, upstream.release.version, table, scratch)
            if isinstance(release, RefusedRelease):
                return release
            return function(controls, *arguments)

    answer = finish(*start(inside))
    if isinstance(answer, RefusedRelease):
        pytest.skip(str(answer))
    return answer
