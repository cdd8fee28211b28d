"""As :mod:`driftgate.drive.zygote`, for several ranks a cell: a reply a case, one trace a rank.

The child that loads consumer and upstream forks every rank of every case, so that torch is
imported once, and what is loaded is loaded once for all of them.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import torch

from driftgate.drive.fork import die_with_parent
from driftgate.drive.serving import preload, serve_in_child, serve_workers
from driftgate.ranks.child import run_rank_job
from driftgate.ranks.job import RankJob
from driftgate.ranks.scripts import find_script, script_names

if TYPE_CHECKING:
    from collections.abc import Callable


def main() -> None:
    """Load everything, fork the workers, and wait for them."""
    die_with_parent()
    torch.set_num_threads(1)
    for name in script_names():
        find_script(name)
    serve_workers(sys.argv[1:], _serve)


def _serve(data: Any, write: Callable[[str], None]) -> str:  # noqa: ANN401 - plain containers
    job = RankJob.from_dict(data)
    preload(job.preload)
    return serve_in_child(lambda loaded: run_rank_job(job, loaded), job.job.limit, write)


if __name__ == "__main__":
    main()
