"""The release that each thing came with."""

from __future__ import annotations

from typing import TYPE_CHECKING

from driftgate.insides.changes import changes

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from driftgate.paths import Project
    from driftgate.surface.difference import Difference

Key = tuple[str, str, str, str | None]


def key_of(difference: Difference) -> Key:
    """Return what makes a difference the same one against another release."""
    return (difference.kind.value, difference.symbol, difference.where, difference.new)


def since_when(
    differences: Iterable[Difference], project: Project, releases: Sequence[str]
) -> dict[Key, str]:
    """Return, by key, the first release from which on each difference is as it is in the last.

    Args:
        differences: Between the first and the last of ``releases``.
        project: Where the records lie.
        releases: All recorded releases between the two, oldest first, both included.
    """
    found: dict[Key, str] = {}
    pending = {key_of(difference) for difference in differences}
    old, later = releases[0], releases[-1]
    for release in reversed(releases[1:-1]):
        if not pending:
            break
        present = {key_of(difference) for difference in changes(project, old, release)}
        found.update(dict.fromkeys(pending - present, later))
        pending &= present
        later = release
    return {**found, **dict.fromkeys(pending, later)}


def start_of_run(holding: Iterable[str], releases: Sequence[str]) -> str:
    """Return the first of the last unbroken run of ``releases`` that are in ``holding``."""
    wanted = set(holding)
    first = releases[-1]
    for release in reversed(releases):
        if release not in wanted:
            break
        first = release
    return first
