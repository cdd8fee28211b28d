"""A run as a whole: what it leaves when it is interrupted, and beside another run."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from driftgate.paths import find_project

PROJECT = find_project(Path(__file__).parent)
COMMAND = (sys.executable, "-m", "driftgate", "ranks", "--upstream", "stub:v0_7_4", "-n", "2")


def start(tmp_path: Path, *arguments: str) -> subprocess.Popen[str]:
    """Start a run whose results go to a folder of its own: it only looks like a checkout."""
    tmp_path.mkdir(parents=True, exist_ok=True)
    for name in ("matrix", "stubs"):
        (tmp_path / name).symlink_to(PROJECT.root / name)
    return subprocess.Popen(
        [*COMMAND, *arguments],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        # Whatever runs for this command can be told by it.
        env={**os.environ, "TMPDIR": str(tmp_path), "RUN_BELOW": str(tmp_path)},
    )


def processes_below(folder: Path) -> list[int]:
    """Processes that work for a run, told by the folder in their environment."""
    mark = f"RUN_BELOW={folder}\0".encode()
    return [
        int(path.parent.name)
        for path in Path("/proc").glob("[0-9]*/environ")
        if mark in _environment(path)
    ]


def _environment(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""  # it has ended meanwhile


def rows(folder: Path) -> list[dict[str, str]]:
    (file,) = (folder / ".driftgate" / "results").glob("*.jsonl")
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def wait_until(condition: object, seconds: float = 60.0) -> bool:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if condition():  # type: ignore[operator]
            return True
        time.sleep(0.05)
    return False


def test_an_interrupt_leaves_no_process_and_a_readable_file(tmp_path: Path) -> None:
    """In the middle of a cell whose rank never comes back from a creation."""
    run = start(tmp_path, "--topology", "h100_tp2", "--topology", "create_hangs_*")
    results = tmp_path / ".driftgate" / "results"
    assert wait_until(lambda: any(path.stat().st_size for path in results.glob("*.jsonl")))
    assert len(processes_below(tmp_path)) > 2

    os.kill(run.pid, signal.SIGINT)
    run.communicate(timeout=60)

    assert run.returncode != 0
    assert wait_until(lambda: not processes_below(tmp_path))
    assert {row["environment"] for row in rows(tmp_path)} >= {"h100_tp2"}
    assert not list(tmp_path.glob("driftgate-*"))


def test_two_runs_on_one_machine_do_not_meet(tmp_path: Path) -> None:
    """Each has its own stores and ports, and both end as one alone does."""
    runs = [
        start(tmp_path / name, "--topology", "h100_tp2", "--topology", "h100_two_servers")
        for name in ("one", "other")
    ]
    for run in runs:
        said, errors = run.communicate(timeout=120)
        assert run.returncode == 0, said + errors
        assert "summary: cells=2" in said
    for name in ("one", "other"):
        assert not processes_below(tmp_path / name)
