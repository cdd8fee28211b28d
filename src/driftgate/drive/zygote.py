"""A process that has torch loaded and forks a child for each consumer and upstream.

``python -m driftgate.drive.zygote READ:WRITE… MODULE…`` loads torch and these modules once and
forks a worker for each pair of descriptors. A worker reads one job a line. For each it writes one
reply a line, one an environment, and then ``{"done": …}`` with how loading died, or nothing. The
child it forks loads consumer and upstream once and forks again for each environment.
"""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch

from driftgate.drive.child import run_job
from driftgate.drive.fork import die_with_parent
from driftgate.drive.job import Job
from driftgate.drive.scripts import COMPILING, find_script, script_names
from driftgate.drive.serving import preload, serve_in_child, serve_workers
from driftgate.drive.upstream import read_ahead

if TYPE_CHECKING:
    from collections.abc import Callable


def main() -> None:
    """Load what every job needs, fork the workers, and wait for them."""
    die_with_parent()
    torch.set_num_threads(1)
    for name in script_names():
        if name not in COMPILING:
            find_script(name)
    serve_workers(sys.argv[1:], _serve)


def _serve(data: Any, write: Callable[[str], None]) -> str:  # noqa: ANN401 - plain containers
    job = Job.from_dict(data)
    preload(job.preload)
    if job.compiles:
        importlib.import_module("driftgate.drive.warmth").warm_up()
    if job.release is not None:
        read_ahead(job.release, Path(job.folders[0]))
    return serve_in_child(lambda loaded: run_job(job, loaded), job.limit, write)


if __name__ == "__main__":
    main()
