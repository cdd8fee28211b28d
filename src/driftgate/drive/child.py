"""What the forked processes do: one loads a consumer and an upstream, the others drive cells."""

from __future__ import annotations

import ctypes
import gc
import json
import os
import sys
import tempfile
from typing import TYPE_CHECKING, Any

from driftgate.drive.drivers.choice import choose_driver
from driftgate.drive.engine import Engine
from driftgate.drive.fork import in_child
from driftgate.drive.logs import Recorder
from driftgate.drive.observe import Observer
from driftgate.drive.scripts import find_script
from driftgate.drive.stage import Stage
from driftgate.drive.standins import AdapterGap
from driftgate.drive.upstream import Upstream, scratch_folder
from driftgate.errors import DriftgateError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from driftgate.cells import Environment
    from driftgate.drive.job import Job


def run_job(job: Job, loaded: Callable[[], None]) -> Iterator[str]:
    """Load the consumer over the upstream, then yield one reply for each environment, as JSON.

    A reply holds ``environment``, ``seconds`` and either ``trace`` or ``error``, or else only
    ``unusable``.

    Args:
        job: What to load, and the environments to drive it in.
        loaded: Called once loading is over.
    """
    observer, recorder = Observer(job.folders), Recorder()
    with recorder.installed(), scratch_folder() as scratch:
        upstream = Upstream(job.folders, observer, job.release)
        try:
            stage = Stage(choose_driver(job), upstream, observer, recorder)
            upstream.load(scratch)
            stage.note("upstream", upstream.facts())
            stage.step("load", stage.driver.load)
        except DriftgateError as error:
            yield json.dumps({"unusable": str(error)})
            return
        except AdapterGap as gap:
            for environment in job.environments:
                yield _died(environment, str(gap))
            return
        if stage.ok():
            stage.note("driver", {"lacks": sorted(stage.driver.lacks)})
        loaded()
        # A workspace in a cycle is freed when the collector comes by. It is made to do so at the
        # same points of a cell whatever was loaded, and driven, before: see `_drive`.
        gc.collect()
        gc.disable()
        for environment in job.environments:
            yield _reply(stage, environment, job.limit)


def _died(environment: Environment, error: str) -> str:
    reply = {"environment": environment.id, "seconds": 0.0, "error": error, "stderr": ""}
    return json.dumps(reply)


def _reply(stage: Stage, environment: Environment, limit: float) -> str:
    ended = in_child(lambda descriptor: _drive(stage, environment, descriptor), limit)
    error = ended.error or ("" if ended.reply else "ended without a trace")
    last_line = ended.stderr.strip().rsplit("\n", 1)[-1]
    if AdapterGap.MARK in last_line:
        error, last_line = last_line[last_line.index(AdapterGap.MARK) :], ""
    reply = json.dumps(
        {
            "environment": environment.id,
            "seconds": ended.seconds,
            "error": f"{error}: {last_line}" if error and last_line else error,
            "stderr": ended.stderr,
        }
    )
    # The trace is JSON already, and long: it is put in as it came.
    return reply if error else f'{reply[:-1]}, "trace": {ended.reply.decode()}}}'


def _drive(stage: Stage, environment: Environment, descriptor: int) -> None:
    """Drive one cell in this process, write its trace, and end the process."""
    script: Any = find_script(environment.script)
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        gc.collect(0)
        gc.enable()
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
