"""Cells that go wrong are errors of their own, and the others go on."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from driftgate.drive.job import Job
from driftgate.environments import read_environments
from driftgate.paths import find_project
from driftgate.upstreams import find_upstream
from driftgate.zygotes import Driven, UnusableConsumerError, Worker, drive_all, zygote

if TYPE_CHECKING:
    from collections.abc import Iterator

PROJECT = find_project(Path(__file__).parent)
ENVIRONMENTS = read_environments(PROJECT.matrix / "environments.toml")
CONSUMERS = Path(__file__).parents[1] / "fixtures" / "consumers"
_CELLS = ("b200_null_multicast", "h100_capture", "h100_kernel_raises")


def _consumer(folder: Path, configure: str, at_import: str = "") -> str:
    """A consumer that is the reference but for what it does when configured."""
    path = folder / "consumer.py"
    path.write_text(
        f"import os, signal, sys\nsys.path.insert(0, {str(CONSUMERS)!r})\nimport reference\n"
        f"{at_import}\n"
        "class Consumer(reference.Consumer):\n"
        "    def configure(self, **engine):\n"
        "        super().configure(**engine)\n"
        f"        {configure}\n"
        "reference.publish(Consumer, globals())\n"
    )
    return str(path)


def _job(source: str, limit: float = 20.0) -> Job:
    folders = tuple(map(str, find_upstream("stub:v0_7_4", PROJECT).folders))
    return Job(source, folders, tuple(ENVIRONMENTS[name] for name in _CELLS), limit)


def _by_id(outcomes: Iterator[Driven]) -> dict[str, Driven]:
    return {driven.environment.id: driven for driven in outcomes}


@pytest.fixture(scope="module")
def worker() -> Iterator[Worker]:
    with zygote(1) as (worker,):
        yield worker


def test_a_crash_is_one_cells_error(worker: Worker, tmp_path: Path) -> None:
    """A cell that kills itself is told by its signal; those after it have their traces."""
    source = _consumer(tmp_path, "if self.topology.sm == 100: os.kill(os.getpid(), signal.SIGKILL)")

    outcomes = _by_id(worker.drive(_job(source)))

    assert outcomes["b200_null_multicast"].error == "ended by SIGKILL"
    assert outcomes["h100_capture"].trace is not None


def test_a_hang_is_killed(worker: Worker, tmp_path: Path) -> None:
    """A cell that hangs is killed at its limit, each on its own."""
    source = _consumer(tmp_path, "signal.pause()")

    outcomes = _by_id(worker.drive(_job(source, limit=1.0)))

    assert {each.error for each in outcomes.values()} == {"killed after 1 s"}


def test_a_consumer_that_hangs_at_import_is_killed(worker: Worker, tmp_path: Path) -> None:
    """Loading has the same limit, and is an error of every cell."""
    source = _consumer(tmp_path, "pass", at_import="signal.pause()")

    outcomes = _by_id(worker.drive(_job(source, limit=1.0)))

    assert {each.error for each in outcomes.values()} == {
        "killed after 1 s while loading the consumer"
    }


def test_a_consumer_that_exits_is_an_error(worker: Worker, tmp_path: Path) -> None:
    """An exit in the middle of a cell is no pass."""
    outcomes = _by_id(worker.drive(_job(_consumer(tmp_path, "os._exit(0)"))))

    assert {each.error for each in outcomes.values()} == {"ended without a trace"}


def test_a_missing_operation_is_named(worker: Worker, tmp_path: Path) -> None:
    """A consumer that cannot be driven is bad input, told in one line."""
    source = _consumer(tmp_path, "pass")
    Path(source).write_text("def configure(**engine): ...\n")

    with pytest.raises(UnusableConsumerError, match="has no 'FlashInferWorkspaceManager'"):
        list(worker.drive(_job(source)))


def test_an_import_that_raises_is_a_step_and_no_error(worker: Worker, tmp_path: Path) -> None:
    """What the consumer's import raises is for a contract to judge."""
    source = _consumer(tmp_path, "pass", at_import="raise OSError('no such library')")

    outcomes = _by_id(worker.drive(_job(source)))

    for driven in outcomes.values():
        assert driven.trace is not None
        assert driven.trace.steps[-1].outcome == "OSError"


def test_an_exit_at_import_is_a_step_too(worker: Worker, tmp_path: Path) -> None:
    """It would take the engine with it, so it is for the same contract to judge."""
    source = _consumer(tmp_path, "pass", at_import="sys.exit('not here')")

    outcomes = _by_id(worker.drive(_job(source)))

    for driven in outcomes.values():
        assert driven.trace is not None
        assert driven.trace.steps[-1].op == "load"
        assert driven.trace.steps[-1].outcome == "SystemExit"


@pytest.mark.parametrize(
    ("code", "told"),
    [(3, "exited with 3 while loading the consumer"), (0, "exited without an answer")],
)
def test_a_death_at_import_is_told(worker: Worker, tmp_path: Path, code: int, told: str) -> None:
    source = _consumer(tmp_path, "pass", at_import=f"os._exit({code})")

    outcomes = _by_id(worker.drive(_job(source)))

    assert {each.error for each in outcomes.values()} == {told}


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_the_command_leaves_nobody_behind(tmp_path: Path, number: signal.Signals) -> None:
    """However it is ended, what it forked ends with it, and it prints no traceback.

    What was made for a while is removed too, where there is time for that.
    """
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    started = tmp_path / "started"
    os.mkfifo(started)
    begun = os.open(started, os.O_RDONLY | os.O_NONBLOCK)
    source = _consumer(tmp_path, f"open({str(started)!r}, 'w').write(' '); signal.pause()")
    reader, writer = os.pipe()
    command = [sys.executable, "-m", "driftgate", "compat", "--fresh", "-n", "1", "--upstream"]
    with tempfile.TemporaryFile() as errors:
        process = subprocess.Popen(
            [*command, "stub:v0_7_4", "--consumer", f"file:{source}"],
            cwd=PROJECT.root,
            env={**os.environ, "TMPDIR": str(scratch)},
            stdout=writer,
            stderr=errors,
        )
        os.close(writer)
        select.select([begun], [], [], 60.0)
        process.send_signal(number)
        # The end of this pipe is held by whoever is left.
        left, _, _ = select.select([reader], [], [], 20.0)
        code = process.wait()
        errors.seek(0)
        said = errors.read().decode()
    os.close(reader)
    os.close(begun)

    assert code == (143 if number == signal.SIGTERM else -number)
    assert left
    assert said == ""
    assert number == signal.SIGKILL or not list(scratch.iterdir())


def test_the_collector_comes_when_it_would_have_without_earlier_cells(
    worker: Worker, tmp_path: Path
) -> None:
    """What is in a cycle is freed at the same point of a cell, whatever was driven before."""
    job = _job(_consumer(tmp_path, "print(gc.get_count())", at_import="import gc"))

    last = _by_id(worker.drive(job))[_CELLS[-1]]
    alone = _by_id(worker.drive(replace(job, environments=job.environments[-1:])))[_CELLS[-1]]

    assert last.trace is not None
    assert any(line.logger == "stdout" for step in last.trace.steps for line in step.logs)
    assert last.trace == alone.trace


def test_what_compiles_is_driven_apart() -> None:
    """A process forked with torch's compiler costs more, so only what compiles is given it."""
    job = replace(
        _job("flashinfer_comm_fusion"),
        environments=(ENVIRONMENTS["compile"], ENVIRONMENTS["h100"], ENVIRONMENTS["b200"]),
    )

    first, second = job.parts()

    assert [each.id for each in first.environments] == ["h100", "b200"]
    assert "torch._dynamo" not in first.preload
    assert [each.id for each in second.environments] == ["compile"]
    assert "torch._dynamo" in second.preload


def test_all_cells_come_back_from_several_workers() -> None:
    """Two workers share the jobs; each cell has one outcome, under its job's tag."""
    source = str(CONSUMERS / "plain.py")
    jobs = [(name, _job(source)) for name in ("first", "second", "third")]

    seen = [(tag, driven.environment.id) for tag, driven in drive_all(jobs, workers=2)]

    assert sorted(seen) == sorted((tag, cell) for tag, _ in jobs for cell in _CELLS)
