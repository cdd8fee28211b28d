from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

from driftgate.packages.model import Breach, PackageRule
from driftgate.packages.versions import differ

if TYPE_CHECKING:
    from collections.abc import Iterator

    from packaging.specifiers import SpecifierSet

    from driftgate.packages.evidence import Evidence
    from driftgate.packages.model import Pin

RULE = PackageRule(
    title="Every place where a project pins a distribution wants the same",
    why="No environment serves both: the install fails, or the engine refuses what was installed",
    incidents=("I44",),
)


def check(seen: Evidence) -> Iterator[Breach]:
    """Compare metadata, its extras, assertions in the source and container files, two at a time."""
    for subject in seen.engines_there():
        told: dict[tuple[str, SpecifierSet, str, SpecifierSet], tuple[Pin, Pin]] = {}
        for one, other in combinations(dict.fromkeys(seen.pins(subject)), 2):
            if _together(one, other) and _disagree(one, other, seen):
                # The same two versions in several places are one disagreement.
                told.setdefault(
                    (one.name, one.specifier, other.name, other.specifier), (one, other)
                )
        for one, other in told.values():
            alike = f"one {one.name}" if one.name == other.name else f"{other.name} as {one.name}"
            yield Breach(
                str(subject.release),
                alike,
                f"{one}, but {other}",
                "pin one version in all of these places",
                next((each.site for each in (other, one) if ":" in each.site), ""),
            )


def _together(one: Pin, other: Pin) -> bool:
    """Whether one installation can meet both: extras exclude each other often enough."""
    return not (one.extra and other.extra and one.extra != other.extra)


def _disagree(one: Pin, other: Pin, seen: Evidence) -> bool:
    if one.name == other.name:
        return any(
            first.exact and not second.specifier.contains(first.exact, prereleases=True)
            for first, second in ((one, other), (other, one))
        )
    main = any(each.name == seen.target.main for each in (one, other))
    companion = any(seen.target.companion(each.name) is not None for each in (one, other))
    return main and companion and differ(one.exact, other.exact)
