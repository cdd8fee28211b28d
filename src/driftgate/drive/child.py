"""What the forked processes do: one loads a consumer and an upstream, the others drive cells."""

from __future__ import annotations

import ctypes
import json
import os
import sys
import tempfile
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from driftgate.drive.drivers.injected import InjectedDriver
from driftgate.drive.engine import Engine
from driftgate.drive.fork import in_child
from driftgate.drive.logs import Recorder
from driftgate.drive.observe import Observer
from driftgate.drive.scripts import find_script
from driftgate.drive.stage import Stage
from driftgate.drive.upstream import Upstream
from driftgate.errors import DriftgateError
from driftgate.trace import Trace

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from driftgate.cells import Environment
    from driftgate.drive.job import Job


def run_job(job: Job, *, watched: bool, loaded: Callable[[], None]) -> Iterator[dict[str, Any]]:
    """Load the consumer over the upstream, then yield one reply for each environment.

    A reply holds ``environment`` and either ``trace`` or ``error``, or else only ``unusable``.

    Args:
        job: What to load, and the environments to drive it in.
        watched: Whether the upstream's callables are wrapped.
        loaded: Called once loading is over.
    """
    observer, recorder = Observer(job.folders), Recorder()
    with recorder.installed():
        upstream = Upstream(job.folders, observer)
        stage = Stage(InjectedDriver(job.source), upstream, observer, recorder)
        upstream.load(watched=watched)
        stage.note("upstream", upstream.facts())
        try:
            stage.step("load", stage.driver.load)
        except DriftgateError as error:
            yield {"unusable": str(error)}
            return
        loaded()
        for environment in job.environments:
            yield _reply(stage, environment, job.limit)


def _reply(stage: Stage, environment: Environment, limit: float) -> dict[str, Any]:
    ended = in_child(lambda descriptor: _drive(stage, environment, descriptor), limit)
    reply: dict[str, Any] = {"environment": environment.id, "seconds": ended.seconds}
    if ended.error or not ended.reply:
        last_line = ended.stderr.strip().rsplit("\n", 1)[-1]
        reason = ended.error or "ended without a trace"
        return reply | {"error": f"{reason}: {last_line}" if last_line else reason}
    trace = replace(Trace.from_dict(json.loads(ended.reply)), stderr=ended.stderr)
    return reply | {"trace": trace.as_dict()}


def _drive(stage: Stage, environment: Environment, descriptor: int) -> None:
    """Drive one cell in this process, write its trace, and end the process."""
    script: Any = find_script(environment.script)
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        stage.enter(environment, Engine(environment))
        if stage.ok():
            script.run(stage)
    with os.fdopen(descriptor, "w", encoding="utf-8") as pipe:
        json.dump(stage.trace().as_dict(), pipe)
    sys.stderr.flush()
    if not getattr(script, "ENDS_BY_SHUTDOWN", False):
        os._exit(0)
    _skip_static_destructors()


def _skip_static_destructors() -> None:
    """End the process once Python is finalised; libtorch's own destructors take 0.1 s."""
    libc: Any = ctypes.CDLL(None)
    if hasattr(libc, "on_exit"):  # glibc; it calls _exit(status, argument)
        libc.on_exit(getattr(libc, "_exit"), None)  # noqa: B009 - C's name, not a private one
