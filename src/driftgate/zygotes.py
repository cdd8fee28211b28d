"""The parent's end of the zygote: jobs out, replies in."""

from __future__ import annotations

import json
import os
import queue
import subprocess
import sys
import threading
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from driftgate.errors import DriftgateError, HarnessError
from driftgate.scratch import scratch_environment
from driftgate.trace import Trace

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from driftgate.cells import Environment
    from driftgate.drive.job import Job

Tag = TypeVar("Tag")
Outcome = TypeVar("Outcome")

# What a zygote runs: one module for one process a cell, another for one a rank.
ONE_PROCESS = "driftgate.drive.zygote"


class Sendable(Protocol):
    """A job that a zygote can be sent."""

    @property
    def preload(self) -> tuple[str, ...]:
        """Modules that it needs, and that its process can be forked with."""

    def as_dict(self) -> dict[str, Any]:
        """Return plain containers, for JSON."""


class Named(Protocol):
    """A thing that a job asks about."""

    @property
    def id(self) -> str:
        """Its name."""


Sent = TypeVar("Sent", bound=Sendable)
Asked = TypeVar("Asked", bound=Named)


class UnusableConsumerError(DriftgateError):
    """The consumer cannot be driven: it lacks an operation."""


@dataclass(frozen=True)
class Driven:
    """What became of one cell.

    Attributes:
        environment: The cell's environment.
        trace: What was seen; None where the cell crashed, hung or was killed.
        error: How the cell died; empty where there is a trace.
        seconds: What the cell cost.
    """

    environment: Environment
    trace: Trace | None
    error: str
    seconds: float


class Worker:
    """One worker of a zygote, by the descriptors of its two pipes."""

    def __init__(self, jobs: int, replies: int) -> None:
        self._jobs = os.fdopen(jobs, "w", encoding="utf-8")
        self._replies = os.fdopen(replies, encoding="utf-8")

    def close(self) -> None:
        """Let the worker end."""
        with suppress(BrokenPipeError):  # what was left to be sent has no reader any more
            self._jobs.close()
        self._replies.close()

    def drive(self, job: Job) -> Iterator[Driven]:
        """Drive one job; yield each environment's outcome as soon as it is there.

        Raises:
            UnusableConsumerError: The consumer lacks an operation.
        """
        for environment, reply in self.ask(job, "environment", job.environments):
            trace = _trace(reply) if "trace" in reply else None
            yield Driven(environment, trace, reply["error"], reply["seconds"])

    def ask(
        self, job: Sendable, key: str, asked: Iterable[Asked]
    ) -> Iterator[tuple[Asked, dict[str, Any]]]:
        """Send one job; yield each thing that it asks about with its reply.

        Where there is none, the reply holds how the job's process died, as ``error``.

        Args:
            job: The job.
            key: What replies name such a thing by.
            asked: The things.

        Raises:
            UnusableConsumerError: The consumer lacks an operation.
        """
        waiting = {each.id: each for each in asked}
        error = unusable = ""
        for reply in self._exchange(job):
            if "done" in reply:
                error = reply["done"]
                break
            if "unusable" in reply:
                unusable = reply["unusable"]
                continue
            yield waiting.pop(reply[key]), reply
        if unusable:
            raise UnusableConsumerError(unusable)
        for each in waiting.values():
            yield each, {"error": error or "exited without an answer", "seconds": 0.0}

    def _exchange(self, job: Sendable) -> Iterator[dict[str, Any]]:
        """Send one job; yield its replies, the last of which says ``done``, and how it died."""
        try:
            self._jobs.write(json.dumps(job.as_dict()) + "\n")
            self._jobs.flush()
            for line in self._replies:
                yield json.loads(line)
        except (BrokenPipeError, json.JSONDecodeError):
            pass
        yield {"done": "its zygote has died"}


def _trace(reply: dict[str, Any]) -> Trace:
    return Trace.from_dict({**reply["trace"], "stderr": reply["stderr"]})


@contextmanager
def zygote(
    workers: int, module: str = ONE_PROCESS, preload: Sequence[str] = ()
) -> Iterator[tuple[Worker, ...]]:
    """Start a zygote; it ends, with all that it forked, when the context does.

    Args:
        workers: How many jobs it can be sent at once.
        module: What it runs.
        preload: Modules that every job needs.

    Raises:
        HarnessError: It cannot be started.
    """
    pipes = [(os.pipe(), os.pipe()) for _ in range(workers)]  # jobs, replies
    theirs = [(jobs[0], replies[1]) for jobs, replies in pipes]
    with scratch_environment() as environment:
        process = subprocess.Popen(  # noqa: S603 - this interpreter, our own module
            [sys.executable, "-m", module, *(f"{r}:{w}" for r, w in theirs), *preload],
            stdin=subprocess.DEVNULL,
            pass_fds=[end for pair in theirs for end in pair],
            env=environment,
            start_new_session=True,  # an interrupt ends it from here, without its own tracebacks
        )
        for descriptor in (end for pair in theirs for end in pair):
            os.close(descriptor)
        mine = tuple(Worker(jobs[1], replies[0]) for jobs, replies in pipes)
        try:
            yield mine
            for worker in mine:
                worker.close()
            if process.wait():
                raise HarnessError(
                    f"the zygote exited with {process.returncode}; "
                    f"run `{sys.executable} -m {module}` to see why"
                )
        finally:
            process.kill()
            process.wait()


def drive_all(jobs: Sequence[tuple[Tag, Job]], workers: int) -> Iterator[tuple[Tag, Driven]]:
    """Drive all jobs on up to ``workers`` workers; yield each cell's outcome as it is there.

    Those that need little come first: once a worker has loaded more, each of its forks costs more.

    Raises:
        UnusableConsumerError: The consumer lacks an operation.
        HarnessError: The zygote cannot be started.
    """
    parts = [(tag, part) for tag, job in jobs for part in job.parts()]
    parts.sort(key=lambda each: len(each[1].preload))
    return share_out(parts, workers, ONE_PROCESS, Worker.drive)


def share_out(
    jobs: Sequence[tuple[Tag, Sent]],
    workers: int,
    module: str,
    drive: Callable[[Worker, Sent], Iterator[Outcome]],
) -> Iterator[tuple[Tag, Outcome]]:
    """Share jobs out among the workers of one zygote; yield each outcome as it is there.

    Args:
        jobs: What to do, each with what its outcomes are to be known by.
        workers: How many at once.
        module: What the zygote runs.
        drive: Sends one job to a worker and yields its outcomes; what it raises is raised here.

    Raises:
        HarnessError: The zygote cannot be started.
    """
    if not jobs:
        return
    todo: queue.SimpleQueue[tuple[Tag, Sent]] = queue.SimpleQueue()
    done: queue.SimpleQueue[tuple[Tag, Outcome] | Exception | None] = queue.SimpleQueue()
    for job in jobs:
        todo.put(job)

    def work(worker: Worker) -> None:
        try:
            with closing(worker):
                while True:
                    tag, job = todo.get_nowait()
                    for outcome in drive(worker, job):
                        done.put((tag, outcome))
        except queue.Empty:
            done.put(None)
        except Exception as error:  # noqa: BLE001 - raised again in the caller's thread
            done.put(error)

    in_all = set(jobs[0][1].preload).intersection(*(job.preload for _, job in jobs))
    with zygote(min(workers, len(jobs)), module, sorted(in_all)) as started:
        for worker in started:
            threading.Thread(target=work, args=(worker,), daemon=True).start()
        yield from _until_none(done, len(started))


def _until_none(
    done: queue.SimpleQueue[tuple[Tag, Outcome] | Exception | None], count: int
) -> Iterator[tuple[Tag, Outcome]]:
    """Yield what ``count`` threads put, each of which ends with None; raise what one raised."""
    while count:
        outcome = done.get()
        if isinstance(outcome, Exception):
            raise outcome
        if outcome is None:
            count -= 1
        else:
            yield outcome
