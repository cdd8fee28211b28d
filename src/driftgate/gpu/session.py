"""Run the checks: each over fresh processes, one a device, with a limit and nobody left behind."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from driftgate.findings import State
from driftgate.gpu.checks import CHECKS, Check
from driftgate.gpu.needs import look_at_machine, what_is_lacking
from driftgate.gpu.rows import Row

if TYPE_CHECKING:
    from collections.abc import Iterator

    from driftgate.gpu.needs import Machine

# The first creation on a machine may compile the kernels.
_LIMIT_SECONDS = 900.0
_GROUP_SIZES = (8, 4, 2)  # that the one-shot tables of all releases know
_POLL_SECONDS = 0.05
_SAID = 400  # characters of a failed process's last words


def run_session(generation: str, machine: Machine | None = None) -> Iterator[Row]:
    """Run every check that this machine can, and say of the others what they need.

    Args:
        generation: ``hopper`` or ``blackwell``.
        machine: The devices; None: ask torch.
    """
    machine = look_at_machine() if machine is None else machine
    for check in CHECKS:
        lacking = what_is_lacking(generation, machine, check.gpus)
        if lacking:
            yield Row(generation, check.id, State.NOT_RUN, reason=lacking)
            continue
        gpus = _group_size(check, machine.matching(generation))
        yield _run(generation, check, gpus)


def _group_size(check: Check, available: int) -> int:
    if not check.all_gpus:
        return check.gpus
    return next(size for size in _GROUP_SIZES if size <= available)


def _run(generation: str, check: Check, gpus: int) -> Row:
    """Run one check over ``gpus`` processes; the first that is wrong speaks for all."""
    with tempfile.TemporaryDirectory(prefix="driftgate-") as folder:
        late = _await([_start(check, Path(folder), rank, gpus) for rank in range(gpus)])
        answers = [_answer(Path(folder), rank) for rank in range(gpus)]
    if late:
        reason = f"ranks {late} did not end within {_LIMIT_SECONDS:g} s"
        return Row(generation, check.id, State.ERROR, gpus, reason)
    died = next((answer["error"] for answer in answers if "error" in answer), "")
    if died:
        return Row(generation, check.id, State.ERROR, gpus, died)
    wrong = [finding for answer in answers for finding in answer["wrong"]]
    state = State.FAIL if wrong else State.PASS
    return Row(generation, check.id, state, gpus, "; ".join(wrong), answers[0]["values"])


def _start(check: Check, folder: Path, rank: int, gpus: int) -> subprocess.Popen[bytes]:
    command = [
        sys.executable,
        "-m",
        "driftgate.gpu.rank",
        check.id,
        str(folder),
        str(rank),
        str(gpus),
    ]
    with (folder / f"stderr-{rank}").open("wb") as errors:
        return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=errors)  # noqa: S603 - our own module


def _await(processes: list[subprocess.Popen[bytes]]) -> list[int]:
    """Wait for all processes and kill those that are late; return which they were."""
    deadline = time.monotonic() + _LIMIT_SECONDS
    try:
        while any(process.poll() is None for process in processes):
            if time.monotonic() > deadline:
                break
            time.sleep(_POLL_SECONDS)
        return [rank for rank, process in enumerate(processes) if process.poll() is None]
    finally:
        for process in processes:
            process.kill()
            process.wait()


def _answer(folder: Path, rank: int) -> dict[str, Any]:
    path = folder / f"answer-{rank}"
    if path.exists():
        answer: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        return answer
    said = (folder / f"stderr-{rank}").read_text(encoding="utf-8", errors="replace").strip()
    return {"error": f"rank {rank} died: {said[-_SAID:]}"}
