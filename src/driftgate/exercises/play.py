"""Play exercises on one release, loaded once; each in a fork of that process."""

from __future__ import annotations

import json
import os
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from driftgate.drive.fork import in_child
from driftgate.exercises import find_exercise
from driftgate.exercises.record import AbsentError, Played
from driftgate.exercises.release import Release

if TYPE_CHECKING:
    from pathlib import Path

    from driftgate.probes.subject import Subject

_LIMIT = 60.0  # a second is usual


def play_exercises(subject: Subject, seams: Path, scratch: Path) -> dict[str, Any]:
    """Return the record of each exercise that the subject names, and why it cannot be imported.

    Args:
        subject: The release, and the names.
        seams: ``matrix/seams.toml``.
        scratch: A folder of this process's own.
    """
    first = [name for name in subject.exercises if find_exercise(name).LOADS_ITSELF]
    then = [name for name in subject.exercises if name not in first]
    release = Release(subject, seams, scratch)
    played = {name: _play(name, release) for name in first}
    if refused := release.load():
        return {"played": played, "refused": refused}
    return {"played": played | {name: _play(name, release) for name in then}}


def _play(name: str, release: Release) -> dict[str, Any]:
    ended = in_child(lambda descriptor: _answer(name, release, descriptor), _LIMIT)
    if not ended.reply:
        last_line = ended.stderr.strip().rsplit("\n", 1)[-1]
        return asdict(Played(error=f"{ended.error or 'ended without an answer'}: {last_line}"))
    record: dict[str, Any] = json.loads(ended.reply)
    return {**record, "error": record["error"] or ended.error, "ending": ended.stderr}


def _answer(name: str, release: Release, descriptor: int) -> None:
    """Play, write the record, and forget what was said until then: this process ends now."""
    try:
        record = Played(find_exercise(name).play(release))
    except AbsentError as error:
        record = Played(absent=str(error))
    except Exception as error:  # noqa: BLE001 - what an exercise does not expect is no answer
        record = Played(error=f"{type(error).__name__}: {error}")
    with os.fdopen(descriptor, "w", encoding="utf-8") as pipe:
        json.dump(asdict(record), pipe)
    os.ftruncate(1, 0)
    os.lseek(1, 0, os.SEEK_SET)
