"""Run a function in a forked child, under a time limit, and tell how it ended."""

from __future__ import annotations

import contextlib
import ctypes
import os
import select
import signal
import tempfile
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

_PR_SET_PDEATHSIG = 1
_READ_SIZE = 1 << 16


@dataclass(frozen=True)
class Ended:
    """How a child ended.

    Attributes:
        reply: What it wrote to its descriptor.
        error: Why it is no good: killed, ended by a signal, exited with a code; or empty.
        stderr: What it wrote to stdout and stderr.
        seconds: How long it took.
    """

    reply: bytes
    error: str
    stderr: str
    seconds: float


def in_child(work: Callable[[int], None], limit: float) -> Ended:
    """Run ``work`` in a fork of this process; it gets a descriptor to write its reply to.

    The child leads a process group of its own, which is killed as a whole when the child ends,
    when ``limit`` seconds are over, or when this process dies. In the child this function never
    returns: what ``work`` raises, SystemExit included, goes up the child's own stack.
    """
    started = time.monotonic()
    reader, writer = os.pipe()
    with tempfile.TemporaryFile() as output:
        pid = os.fork()
        if pid == 0:
            os.close(reader)
            become_child(output.fileno())
            work(writer)
            raise SystemExit(0)
        os.close(writer)
        try:
            reply, status = _await(pid, reader, started + limit)
        finally:
            os.close(reader)
        output.seek(0)
        said = output.read().decode(errors="replace")
    error = f"killed after {limit:g} s" if status is None else explain(status)
    return Ended(reply, error, said, time.monotonic() - started)


def become_child(output: int) -> None:
    """Lead a process group, die with the parent, read nothing, and write to ``output``."""
    os.setpgid(0, 0)
    die_with_parent()
    os.dup2(output, 1)
    os.dup2(output, 2)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)


def die_with_parent() -> None:
    """Have the kernel kill this process when the one that forked it ends."""
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def explain(status: int) -> str:
    """Say how a process with this wait status ended; empty for an exit with 0."""
    if os.WIFSIGNALED(status):
        return f"ended by {signal.Signals(os.WTERMSIG(status)).name}"
    code = os.WEXITSTATUS(status)
    return f"exited with {code}" if code else ""


def _await(pid: int, reader: int, deadline: float) -> tuple[bytes, int | None]:
    """Return what the child wrote and its wait status; None where it was too slow."""
    chunks: list[bytes] = []
    open_end = True
    status: int | None = None
    while (left := deadline - time.monotonic()) > 0:
        if open_end:
            if select.select([reader], [], [], left)[0]:
                chunks.append(os.read(reader, _READ_SIZE))
                open_end = bool(chunks[-1])
            continue
        done, ended = os.waitpid(pid, os.WNOHANG)
        if done:
            status = ended
            break
        time.sleep(0.001)
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, signal.SIGKILL)
    if status is None:
        os.waitpid(pid, 0)
    return b"".join(chunks), status
