"""A process that has torch loaded and forks a child for each consumer and upstream.

``python -m driftgate.drive.zygote READ:WRITE…`` loads torch once and forks a worker for each pair
of descriptors. A worker reads one job a line. For each it writes one reply a line, one an
environment, and then ``{"done": …}`` with how loading died, or nothing. The child it forks loads
consumer and upstream once and forks again for each environment.
"""

from __future__ import annotations

import importlib
import sys
from typing import TYPE_CHECKING, Any

import torch

from driftgate.drive.child import run_job
from driftgate.drive.drivers.choice import preload
from driftgate.drive.fork import die_with_parent
from driftgate.drive.job import Job
from driftgate.drive.scripts import find_script, script_names
from driftgate.drive.serving import serve_in_child, serve_workers
from driftgate.drive.warmth import warm_up

if TYPE_CHECKING:
    from collections.abc import Callable


def main() -> None:
    """Warm up, fork the workers, and wait for them."""
    die_with_parent()
    torch.set_num_threads(1)
    for name in script_names():
        find_script(name)
    warm_up()
    serve_workers(sys.argv[1:], _serve)


def _serve(data: Any, write: Callable[[str], None]) -> str:  # noqa: ANN401 - plain containers
    job = Job.from_dict(data)
    preload(job.adapter)
    if job.release is not None:
        # What releases import; loaded once for all of them.
        importlib.import_module("torch.distributed._symmetric_memory")
    return serve_in_child(lambda loaded: run_job(job, loaded), job.limit, write)


if __name__ == "__main__":
    main()
