"""A process that has torch loaded and forks a child for each consumer and upstream.

``python -m driftgate.drive.zygote`` reads one job a line from stdin. For each it writes one reply
a line to stdout, one an environment, and then ``{"done": …}`` with how loading died, or nothing.
The child loads consumer and upstream once and forks again for each environment. The zygote
starts no thread, so that a fork is safe, and it ends with its stdin.
"""

from __future__ import annotations

import gc
import json
import os
import signal
import tempfile
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import torch

from driftgate.drive.child import run_job
from driftgate.drive.fork import become_child, explain
from driftgate.drive.job import Job
from driftgate.drive.scripts import find_script, script_names
from driftgate.drive.warmth import warm_up

if TYPE_CHECKING:
    from collections.abc import Callable

_READ_SIZE = 1 << 16


def main() -> None:
    """Serve jobs until stdin ends."""
    torch.set_num_threads(1)
    _preload()
    # What is loaded by now is never garbage: a child's collections need not visit, and copy, it.
    gc.collect()
    gc.freeze()
    # Replies have a descriptor of their own: nothing that a child prints can end up in them.
    descriptor = os.dup(1)
    os.dup2(2, 1)

    def write(reply: dict[str, Any]) -> None:
        # In one piece however long it is, for a pipe takes what it has room for.
        line = json.dumps(reply).encode() + b"\n"
        while line:
            line = line[os.write(descriptor, line) :]

    buffer = b""
    write({"ready": True})
    while chunk := os.read(0, _READ_SIZE):
        *lines, buffer = (buffer + chunk).split(b"\n")
        for line in lines:
            write({"done": serve(Job.from_dict(json.loads(line)), write)})


def serve(job: Job, write: Callable[[dict[str, Any]], None]) -> str:
    """Answer one job; return how loading died, or empty."""
    error = ""
    for watched in (True, False):
        environments = tuple(
            each for each in job.environments if _is_watched(each.script) == watched
        )
        if environments:
            part = replace(job, environments=environments)
            error = _in_loader(part, watched=watched, write=write) or error
    return error


def _in_loader(job: Job, *, watched: bool, write: Callable[[dict[str, Any]], None]) -> str:
    with tempfile.TemporaryFile() as output:
        pid = os.fork()
        if pid == 0:
            become_child(output.fileno())
            # The default action ends a process that hangs while it loads.
            signal.setitimer(signal.ITIMER_REAL, job.limit)
            for reply in run_job(job, watched=watched, loaded=_stop_timer):
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


def _is_watched(script: str) -> bool:
    return bool(getattr(find_script(script), "WATCHED", True))


def _preload() -> None:
    """Do once what each child would do for itself."""
    for name in script_names():
        find_script(name)
    warm_up()


if __name__ == "__main__":
    main()
