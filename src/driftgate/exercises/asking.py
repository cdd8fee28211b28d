"""The parent's end: releases and the names of exercises out, what they left in."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from driftgate.exercises.record import Outcome, Played
from driftgate.exercises.shelf import Shelf
from driftgate.probes.asking import ask
from driftgate.probes.subject import Subject

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from driftgate.exercises.record import Wanted
    from driftgate.paths import Project


def play_releases(
    wanted: Sequence[Wanted], project: Project, workers: int
) -> Iterator[tuple[str, Outcome]]:
    """Put every release through what is wanted of it, each loaded once in a process of its own.

    What was kept of an earlier run is not played again.

    Args:
        wanted: The releases.
        project: Where the seams lie, and where records are kept.
        workers: How many at a time.

    Raises:
        HarnessError: The process that forks them cannot be started, or died.
    """
    seams = project.matrix / "seams.toml"
    shelf = Shelf(project.results / "exercises", seams)
    known = {each.name: shelf.get(each) for each in wanted}
    missing = {}
    for each in wanted:
        names = tuple(name for name in each.exercises if name not in known[each.name])
        if names:
            missing[each.name] = replace(each, exercises=names)
        else:
            yield each.name, Outcome(played=known[each.name])
    subjects = [
        Subject(each.name, (str(each.folder),), each.version, exercises=tuple(each.exercises))
        for each in missing.values()
    ]
    for answers in ask(subjects, seams, workers):
        played = {name: Played(**record) for name, record in answers.played.items()}
        if answers.refused:
            # Nothing that was begun before counts.
            played = dict.fromkeys(
                missing[answers.subject].exercises, Played(absent=answers.refused)
            )
        shelf.put(missing[answers.subject], played)
        yield answers.subject, Outcome("", answers.error, known[answers.subject] | played)
