"""Children that die, hang and litter."""

from __future__ import annotations

import os
import signal
from pathlib import Path

from driftgate.drive.fork import in_child


def test_reply_and_output_come_back() -> None:
    """What a child writes to its descriptor is the reply, all else is its output."""

    def work(descriptor: int) -> None:
        os.write(descriptor, b"reply")
        os.write(2, b"noise")
        os._exit(0)

    ended = in_child(work, 10.0)

    assert (ended.reply, ended.error, ended.stderr) == (b"reply", "", "noise")


def test_crash_is_told_by_its_signal() -> None:
    """A child that is ended by a signal is an error that names it."""
    ended = in_child(lambda _: os.kill(os.getpid(), signal.SIGTERM), 10.0)

    assert ended.error == "ended by SIGTERM"


def test_exit_code_is_told() -> None:
    """A child that exits with a code of its own is an error."""
    assert in_child(lambda _: os._exit(7), 10.0).error == "exited with 7"


def test_hang_is_killed_with_all_it_started() -> None:
    """Past the limit the child's whole process group is gone."""

    def work(descriptor: int) -> None:
        sleeper = os.spawnlp(os.P_NOWAIT, "sleep", "sleep", "600")  # noqa: S606
        os.write(descriptor, str(sleeper).encode())
        signal.pause()

    ended = in_child(work, 2.0)

    assert ended.error == "killed after 2 s"
    assert _is_gone(int(ended.reply))


def test_closed_descriptor_is_no_way_past_the_limit() -> None:
    """A child that closes its descriptor and goes on is killed too."""

    def work(descriptor: int) -> None:
        os.close(descriptor)
        signal.pause()

    assert in_child(work, 0.5).error == "killed after 0.5 s"


def _is_gone(pid: int) -> bool:
    for _ in range(1000):
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
        except FileNotFoundError:
            return True
        if state == "Z":  # dead, and nobody here to bury it
            return True
        os.sched_yield()
    return False
