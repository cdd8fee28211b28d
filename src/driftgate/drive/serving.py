"""How a zygote serves: workers that read jobs from a pipe, and a forked child for each job.

No process here starts a thread, so that a fork is safe, and a worker ends with its input.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import inspect
import json
import mmap
import os
import signal
import sys
import tempfile
from typing import TYPE_CHECKING, Any

from driftgate.drive.fork import become_child, die_with_parent, explain

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    Write = Callable[[str], None]


def preload(names: Iterable[str]) -> None:
    """Import modules for every child that is forked from here."""
    missing = [name for name in names if name not in sys.modules]
    for name in missing:
        importlib.import_module(name)
    if missing:
        share()


def share() -> None:
    """Ready what is loaded by now for the children.

    The first look-up of a source visits every loaded module: with it done, an operator registers in
    10 ms and not in 45 ms. And nothing loaded is garbage: collections in a child need not visit it.
    """
    inspect.getmodule(compile("", "<unknown>", "exec"))
    gc.collect()
    gc.freeze()


def serve_workers(arguments: Sequence[str], serve: Callable[[Any, Write], str]) -> None:
    """Fork a worker for each pair of descriptors, and wait for them.

    Args:
        arguments: ``READ:WRITE`` of each worker, and names of modules that all jobs need.
        serve: Answers one job, in plain containers: writes its replies, and returns how it died,
            or nothing.
    """
    preload(each for each in arguments if ":" not in each)
    share()
    descriptors = [tuple(map(int, each.split(":"))) for each in arguments if ":" in each]
    for reader, writer in descriptors:
        if os.fork() == 0:
            die_with_parent()
            for descriptor in {end for pair in descriptors for end in pair} - {reader, writer}:
                os.close(descriptor)
            _work(reader, writer, serve)
            os._exit(0)
    for descriptor in (end for pair in descriptors for end in pair):
        os.close(descriptor)
    for _ in descriptors:
        os.wait()


def serve_in_child(
    replies: Callable[[Callable[[], None]], Iterable[str]], limit: float, write: Write
) -> str:
    """Write what ``replies`` yields in a fork of this process; return how that died, or empty.

    Args:
        replies: Does the work; it calls what it is given once its loading is over.
        limit: Seconds that loading may take.
        write: Takes each reply.
    """
    is_loaded = mmap.mmap(-1, 1)  # shared with the fork

    def loaded() -> None:
        signal.setitimer(signal.ITIMER_REAL, 0)
        is_loaded[0] = 1

    with is_loaded, tempfile.TemporaryFile() as output:
        pid = os.fork()
        if pid == 0:
            become_child(output.fileno())
            # The default action ends a process that hangs while it loads.
            signal.setitimer(signal.ITIMER_REAL, limit)
            for reply in replies(loaded):
                write(reply)
            os._exit(0)
        _, status = os.waitpid(pid, 0)
        output.seek(0)
        last_line = output.read().decode(errors="replace").strip().rsplit("\n", 1)[-1]
        when = "" if is_loaded[0] else " while loading the consumer"
    if os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGALRM:
        return f"killed after {limit:g} s{when}"
    error = f"{explain(status)}{when}" if status else ""
    return f"{error}: {last_line}" if error and last_line else error


def _work(reader: int, writer: int, serve: Callable[[Any, Write], str]) -> None:
    """Serve jobs until the input ends."""

    def write(reply: str) -> None:
        # In pieces, for a pipe takes what it has room for.
        line = reply.encode() + b"\n"
        while line:
            line = line[os.write(writer, line) :]

    # Whoever sent the jobs may end before their replies are there.
    with contextlib.suppress(BrokenPipeError), os.fdopen(reader, encoding="utf-8") as jobs:
        for line in jobs:
            write(json.dumps({"done": serve(json.loads(line), write)}))
