"""The parent's end of the prober: subjects out, answers in."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING, Any

from driftgate.errors import HarnessError
from driftgate.probes.subject import Answers
from driftgate.scratch import scratch_environment

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from driftgate.probes.subject import Subject


def ask(subjects: Sequence[Subject], seams: Path, workers: int) -> Iterator[Answers]:
    """Probe every subject, each in a process of its own; yield answers as they are there.

    Args:
        subjects: What is probed.
        seams: ``matrix/seams.toml``.
        workers: How many at a time.

    Raises:
        HarnessError: The prober cannot be started, or died.
    """
    if not subjects:
        return
    command = [sys.executable, "-m", "driftgate.probes.prober", str(workers), str(seams)]
    with (
        scratch_environment() as environment,
        subprocess.Popen(  # noqa: S603 - this interpreter, our own module
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=environment,
            start_new_session=True,
        ) as process,
    ):
        assert process.stdin is not None  # noqa: S101 - it was asked for
        assert process.stdout is not None  # noqa: S101
        try:
            # A few hundred bytes a subject: the pipe takes them all at once.
            process.stdin.writelines(json.dumps(each.as_dict()) + "\n" for each in subjects)
            process.stdin.close()
            for line in process.stdout:
                yield _answers(json.loads(line))
        finally:
            process.kill()
    if process.returncode > 0:
        raise HarnessError(f"the prober exited with {process.returncode}; run it to see why")


def _answers(reply: dict[str, Any]) -> Answers:
    for name in ("summaries", "questions", "standins"):
        reply[name] = tuple(reply.get(name, ()))
    return Answers(**reply)
