"""What a release asks of the environment it is installed in."""

from __future__ import annotations

from typing import TYPE_CHECKING

from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name

from driftgate.surface.difference import Difference, Kind, Level

if TYPE_CHECKING:
    from collections.abc import Iterator

    from driftgate.surface.releases import ReleaseRow

# Enough to tell what a range admits; a Python that does not exist yet is admitted or not alike.
_MINORS = tuple(f"3.{minor}" for minor in range(8, 16))


def admitted(requires_python: str) -> tuple[str, ...]:
    """Return the Pythons that ``requires_python`` admits, as ``3.11``; all for an empty one."""
    allowed = SpecifierSet(requires_python)
    return tuple(minor for minor in _MINORS if allowed.contains(f"{minor}.99"))


def declared(row: ReleaseRow) -> frozenset[str]:
    """Return the distributions that every installation of the release has."""
    requirements = (Requirement(text) for text in row.requires_dist)
    return frozenset(canonicalize_name(item.name) for item in requirements if not _extra(item))


def compare_requirements(old: ReleaseRow, new: ReleaseRow) -> Iterator[Difference]:
    """Yield what an installer sees differently."""
    if old.requires_python != new.requires_python:
        lost = set(admitted(old.requires_python)) - set(admitted(new.requires_python))
        yield Difference(
            Kind.REQUIRES_PYTHON_CHANGED,
            Level.BREAKING if lost else Level.ADDITIVE,
            "requires-python",
            old=old.requires_python or None,
            new=new.requires_python or None,
            note=f"no longer {', '.join(sorted(lost))}" if lost else "",
        )
    if not (old.requires_dist and new.requires_dist):
        # The metadata of source archives leaves it open.
        return
    before, after = _by_name(old), _by_name(new)
    for key in dict.fromkeys([*before, *after]):
        was, now = before.get(key), after.get(key)
        if was == now:
            continue
        kind = (
            Kind.REQUIREMENT_ADDED
            if was is None
            else Kind.REQUIREMENT_REMOVED
            if now is None
            else Kind.REQUIREMENT_CHANGED
        )
        level = Level.COSMETIC if key[1] else Level.ADDITIVE
        yield Difference(kind, level, "requires-dist", key[0], was, now)


def _by_name(row: ReleaseRow) -> dict[tuple[str, str], str]:
    """Return requirements by name and extra; of one name, all that is said, as one text."""
    found: dict[tuple[str, str], list[str]] = {}
    for text in row.requires_dist:
        item = Requirement(text)
        found.setdefault((canonicalize_name(item.name), _extra(item)), []).append(text)
    return {key: " and ".join(texts) for key, texts in found.items()}


def _extra(requirement: Requirement) -> str:
    marker = str(requirement.marker or "")
    return marker if "extra" in marker else ""
