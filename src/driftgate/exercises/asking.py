"""The parent's end: releases and the names of exercises out, what they left in."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from driftgate.exercises.record import Played
from driftgate.probes.asking import ask
from driftgate.probes.subject import Subject

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping
    from pathlib import Path


@dataclass(frozen=True)
class Wanted:
    """A release, and what it is to be put through.

    Attributes:
        name: The release as it is spelled, to tell answers apart.
        folder: Holds the package.
        version: The release; empty for a tree that is none.
        exercises: Their names.
    """

    name: str
    folder: Path
    version: str
    exercises: Collection[str]


@dataclass(frozen=True)
class Outcome:
    """What came of one release.

    Attributes:
        refused: Why this interpreter cannot import it; empty where it can.
        error: How its process died; empty where it did not.
        played: What each exercise left, by name.
    """

    refused: str = ""
    error: str = ""
    played: Mapping[str, Played] = field(default_factory=dict)

    def get(self, name: str) -> Played:
        """Return what one exercise left; of a release that is refused anyhow, nothing."""
        if self.refused:
            return Played(absent=self.refused)
        return self.played.get(name, Played(error=self.error))


def play_releases(
    wanted: Iterable[Wanted], seams: Path, workers: int
) -> Iterator[tuple[str, Outcome]]:
    """Put every release through what is wanted of it, each loaded once in a process of its own.

    Args:
        wanted: The releases.
        seams: ``matrix/seams.toml``.
        workers: How many at a time.

    Raises:
        HarnessError: The process that forks them cannot be started, or died.
    """
    subjects = [
        Subject(each.name, (str(each.folder),), each.version, exercises=tuple(each.exercises))
        for each in wanted
        if each.exercises
    ]
    for answers in ask(subjects, seams, workers):
        played = {name: Played(**record) for name, record in answers.played.items()}
        yield answers.subject, Outcome(answers.refused, answers.error, played)
