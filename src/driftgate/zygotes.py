"""The parent's end of the zygotes: jobs out, replies in, a new zygote where one died."""

from __future__ import annotations

import json
import queue
import subprocess
import sys
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from driftgate.errors import DriftgateError, HarnessError
from driftgate.trace import Trace

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from types import TracebackType

    from driftgate.cells import Environment
    from driftgate.drive.job import Job

Tag = TypeVar("Tag")


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


class Zygote:
    """One process with torch loaded, that forks for each job. A context manager."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[str] | None = None

    def __enter__(self) -> Zygote:  # noqa: PYI034 - Self is 3.11's
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the process, and with it what it forked."""
        if self._process is not None:
            self._process.kill()
            self._process.communicate()
            self._process = None

    def drive(self, job: Job) -> Iterator[Driven]:
        """Drive one job; yield each environment's outcome as soon as it is there.

        Raises:
            UnusableConsumerError: The consumer lacks an operation.
            HarnessError: No zygote can be started.
        """
        waiting = {environment.id: environment for environment in job.environments}
        error = ""
        for reply in self._ask(job):
            if "unusable" in reply:
                self.close()
                raise UnusableConsumerError(reply["unusable"])
            if "done" in reply:
                error = reply["done"]
                break
            environment = waiting.pop(reply["environment"])
            trace = Trace.from_dict(reply["trace"]) if "trace" in reply else None
            yield Driven(environment, trace, reply.get("error", ""), reply["seconds"])
        for environment in waiting.values():
            yield Driven(environment, None, error, 0.0)

    def _ask(self, job: Job) -> Iterator[dict[str, Any]]:
        process = self._process or self._start()
        assert process.stdin is not None  # noqa: S101 - both are pipes, see _start
        assert process.stdout is not None  # noqa: S101
        try:
            process.stdin.write(json.dumps(job.as_dict()) + "\n")
            process.stdin.flush()
            for line in process.stdout:
                yield json.loads(line)
        except BrokenPipeError:
            pass
        self._process = None
        yield {"done": f"its zygote exited with {process.wait()}"}

    def _start(self) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [sys.executable, "-m", "driftgate.drive.zygote"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert process.stdout is not None  # noqa: S101 - it is a pipe
        if not process.stdout.readline():
            raise HarnessError(
                f"the zygote exited with {process.wait()} at its start; "
                f"try `{sys.executable} -m driftgate.drive.zygote`"
            )
        self._process = process
        return process


def drive_all(jobs: Iterable[tuple[Tag, Job]], workers: int) -> Iterator[tuple[Tag, Driven]]:
    """Drive all jobs on up to ``workers`` zygotes; yield each cell's outcome as it is there.

    Raises:
        UnusableConsumerError: The consumer lacks an operation.
        HarnessError: No zygote can be started.
    """
    todo: queue.SimpleQueue[tuple[Tag, Job]] = queue.SimpleQueue()
    done: queue.SimpleQueue[tuple[Tag, Driven] | Exception] = queue.SimpleQueue()
    cells = count = 0
    for tag, job in jobs:
        todo.put((tag, job))
        cells += len(job.environments)
        count += 1
    stop = threading.Event()

    def work() -> None:
        try:
            with Zygote() as zygote:
                while not stop.is_set():
                    tag, job = todo.get_nowait()
                    for driven in zygote.drive(job):
                        done.put((tag, driven))
        except queue.Empty:
            return
        except Exception as error:  # noqa: BLE001 - raised again in the caller's thread
            done.put(error)

    threads = [threading.Thread(target=work) for _ in range(min(workers, count))]
    for thread in threads:
        thread.start()
    try:
        for _ in range(cells):
            outcome = done.get()
            if isinstance(outcome, Exception):
                raise outcome
            yield outcome
    finally:
        stop.set()
        for thread in threads:
            thread.join()

