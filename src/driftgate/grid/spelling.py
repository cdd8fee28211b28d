"""Sets of releases as short text: ``all but 0.6.10``, ``≥0.6.8``, ``≤0.6.4, 0.7.1``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from driftgate.calls.ranges import spell_ranges

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_TO = "\N{EN DASH}"


def spell(found: Iterable[str], releases: Sequence[str]) -> str:
    """Return ``found`` in few letters; ``releases`` are all there are, oldest first."""
    wanted = set(found)
    if wanted >= set(releases):
        return "all"
    if not wanted:
        return "none"
    inside = _spell_runs(spell_ranges(wanted, releases), releases)
    outside = spell_ranges(set(releases) - wanted, releases)
    return f"all but {outside}" if len(outside) + len("all but ") < len(inside) else inside


def _spell_runs(ranges: str, releases: Sequence[str]) -> str:
    return ", ".join(_spell_run(run, releases) for run in ranges.split(", "))


def _spell_run(run: str, releases: Sequence[str]) -> str:
    first, to, last = run.partition(_TO)
    if to and first == releases[0]:
        return f"≤{last}"
    if to and last == releases[-1]:
        return f"≥{first}"
    return run
