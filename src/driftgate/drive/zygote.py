"""A process that has torch loaded and forks a child for each consumer and upstream.

``python -m driftgate.drive.zygote READ:WRITE…`` loads torch once and forks a worker for each pair
of descriptors. A worker reads one job a line. For each it writes one reply a line, one an
environment, and then ``{"done": …}`` with how loading died, or nothing. The child it forks loads
consumer and upstream once and forks again for each environment. No process here starts a thread,
so that a fork is safe, and a worker ends with its input.
"""

from __future__ import annotations

import gc
import json
import os
import signal
import sys
import tempfile
from typing import TYPE_CHECKING

import torch

from driftgate.drive.child import run_job
from driftgate.drive.drivers.choice import preload
from driftgate.drive.fork import become_child, die_with_parent, explain
from driftgate.drive.job import Job
from driftgate.drive.scripts import find_script, script_names
from driftgate.drive.warmth import warm_up

if TYPE_CHECKING:
    from collections.abc import Callable


def main() -> None:
    """Warm up, fork the workers, and wait for them."""
    torch.set_num_threads(1)
    for name in script_names():
        find_script(name)
    warm_up()
    # What is loaded by now is never garbage: a child's collections need not visit, and copy, it.
    gc.collect()
    gc.freeze()
    pairs = [tuple(map(int, argument.split(":"))) for argument in sys.argv[1:]]
    for reader, writer in pairs:
        if os.fork() == 0:
            die_with_parent()
            for descriptor in {end for pair in pairs for end in pair} - {reader, writer}:
                os.close(descriptor)
            _work(reader, writer)
            os._exit(0)
    for descriptor in (end for pair in pairs for end in pair):
        os.close(descriptor)
    for _ in pairs:
        os.wait()


def _work(reader: int, writer: int) -> None:
    """Serve jobs until the input ends."""

    def write(reply: str) -> None:
        # In pieces, for a pipe takes what it has room for.
        line = reply.encode() + b"\n"
        while line:
            line = line[os.write(writer, line) :]

    with os.fdopen(reader, encoding="utf-8") as jobs:
        for line in jobs:
            write(json.dumps({"done": serve(Job.from_dict(json.loads(line)), write)}))


def serve(job: Job, write: Callable[[str], None]) -> str:
    """Answer one job; return how loading died, or empty."""
    preload(job.adapter)
    with tempfile.TemporaryFile() as output:
        pid = os.fork()
        if pid == 0:
            become_child(output.fileno())
            # The default action ends a process that hangs while it loads.
            signal.setitimer(signal.ITIMER_REAL, job.limit)
            for reply in run_job(job, _stop_timer):
                write(reply)
            os._exit(0)
        _, status = os.waitpid(pid, 0)
        output.seek(0)
        last_line = output.read().decode(errors="replace").strip().rsplit("\n", 1)[-1]
    if os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGALRM:
        return f"killed after {job.limit:g} s of loading"
    error = explain(status)
    return f"{error}: {last_line}" if error and last_line else error


def _stop_timer() -> None:
    signal.setitimer(signal.ITIMER_REAL, 0)


if __name__ == "__main__":
    main()
