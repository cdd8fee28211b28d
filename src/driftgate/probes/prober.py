"""A process that has torch loaded and forks a child for each upstream that is to be probed.

``python -m driftgate.probes.prober WORKERS SEAMS`` reads one subject a line, as JSON, and writes
one line of answers for each, in the order in which they are done. Nothing here starts a thread,
so that a fork is safe.
"""

from __future__ import annotations

import fcntl
import gc
import importlib
import json
import os
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
import torch.distributed
import torch.distributed._symmetric_memory  # what releases import; loaded once for all

from driftgate.drive.fork import die_with_parent, in_child
from driftgate.drive.loading import WheelControls, put_stub
from driftgate.drive.upstream import scratch_folder
from driftgate.exercises.play import play_exercises
from driftgate.probes.cases import all_probes
from driftgate.probes.play import play_all
from driftgate.probes.subject import PROBES, QUESTIONS, Subject
from driftgate.probes.validators import ask_all, ask_one
from driftgate.wheels.load import RefusedRelease
from driftgate.wheels.table import read_seam_table

if TYPE_CHECKING:
    from driftgate.drive.loading import Controls

# Some 5 s are usual on a busy machine: only a hang takes this long.
_LIMIT = 120.0


def main() -> None:
    """Serve subjects until the input ends."""
    workers, seams = int(sys.argv[1]), Path(sys.argv[2])
    die_with_parent()
    torch.set_num_threads(1)
    gc.collect()
    gc.freeze()
    with tempfile.TemporaryFile() as lock:
        running = 0
        for line in sys.stdin:
            if running == workers:
                os.wait()
                running -= 1
            if os.fork() == 0:
                die_with_parent()
                _serve(Subject.from_dict(json.loads(line)), seams, lock.fileno())
                os._exit(0)
            running += 1
        for _ in range(running):
            os.wait()


def _serve(subject: Subject, seams: Path, lock: int) -> None:
    ended = in_child(lambda descriptor: _probe(subject, seams, descriptor), _LIMIT)
    answers = json.loads(ended.reply) if ended.reply and not ended.error else {}
    if not answers:
        last_line = ended.stderr.strip().rsplit("\n", 1)[-1]
        answers["error"] = f"{ended.error or 'ended without answers'}: {last_line}"
    answers |= {"subject": subject.name, "torch": torch.__version__, "seconds": ended.seconds}
    text = json.dumps(answers).encode() + b"\n"
    fcntl.lockf(lock, fcntl.LOCK_EX)
    while text:
        text = text[os.write(1, text) :]
    fcntl.lockf(lock, fcntl.LOCK_UN)


def _probe(subject: Subject, seams: Path, descriptor: int) -> None:
    """Probe in this process, write the answers, and end it."""
    with scratch_folder() as folder:
        os.chdir(folder)
        if subject.exercises:
            answers = play_exercises(subject, seams, folder)
        else:
            answers = _answers(subject, seams, folder)
        with os.fdopen(descriptor, "w", encoding="utf-8") as pipe:
            json.dump(answers, pipe)
    os._exit(0)


def _answers(subject: Subject, seams: Path, scratch: Path) -> dict[str, Any]:
    controls: Controls
    standins: tuple[str, ...] = ()
    if subject.version:
        table, folder = read_seam_table(seams), Path(subject.folders[0])
        controls = wheel = WheelControls()
        release = wheel.load(folder, subject.version, table, scratch)
        standins = release.standins
        if isinstance(release, RefusedRelease):
            return {"standins": standins, "refused": str(release)}
    else:
        controls = put_stub(subject.folders)
    comm = importlib.import_module("flashinfer.comm")
    if subject.block is not None:
        return {"questions": ask_one(comm, controls, subject.block)}
    answers: dict[str, Any] = {"standins": standins}
    if PROBES in subject.parts:
        answers["records"] = play_all(all_probes(), controls)
    if QUESTIONS in subject.parts and hasattr(comm, "create_allreduce_fusion_workspace"):
        answers["summaries"] = ask_all(comm, controls)
    return answers


if __name__ == "__main__":
    main()
