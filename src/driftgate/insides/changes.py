"""Everything that the records know to have changed from one release to another."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from driftgate.errors import UnknownNameError
from driftgate.insides.diff import diff_insides
from driftgate.insides.edited import edited_bodies
from driftgate.insides.requirements import compare_requirements
from driftgate.insides.siblings import disagreements
from driftgate.insides.store import load_insides
from driftgate.insides.target import load_insides_target
from driftgate.surface.diff import diff
from driftgate.surface.difference import Difference, Kind, Level
from driftgate.surface.releases import load_releases
from driftgate.surface.store import load_surface

if TYPE_CHECKING:
    from collections.abc import Iterator

    from driftgate.insides.model import Insides
    from driftgate.paths import Project
    from driftgate.surface.model import Surface
    from driftgate.surface.releases import ReleaseRow


def changes(project: Project, old: str, new: str) -> list[Difference]:
    """Return what changed from release ``old`` to ``new``: surface, insides and requirements.

    Raises:
        UnknownNameError: One of them was never recorded.
        InvalidDataError: A record is damaged.
    """
    surfaces = [load_surface(project.surfaces, release) for release in (old, new)]
    insides = [load_insides(project.insides, release) for release in (old, new)]
    rows = load_releases(project.matrix / "releases.toml")
    before, after = _row(rows, old), _row(rows, new)
    target = load_insides_target(project.matrix / "insides.toml")
    shape = diff(*surfaces)
    shape = [_moved_inside(item, insides[1]) for item in shape]
    members = frozenset(item.where for item in shape if item.kind is Kind.MEMBER_ADDED)
    told = [*shape, *diff_insides(insides[0], insides[1], target, after, members)]
    return [
        *told,
        *edited_bodies(insides[0], insides[1], target, told),
        *_siblings(*surfaces),
        *compare_requirements(before, after),
    ]


def verdict(differences: list[Difference]) -> str:
    """Return the worst level among ``differences``, or ``equal`` where there are none."""
    present = {item.level for item in differences}
    return next((level.value for level in Level if level in present), "equal")


def _row(rows: dict[str, ReleaseRow], release: str) -> ReleaseRow:
    if release not in rows:
        raise UnknownNameError("release", release, tuple(rows))
    return rows[release]


def _moved_inside(item: Difference, insides: Insides) -> Difference:
    """Excuse a default that became None where the entry puts the old one in its place."""
    entry = insides.entries.get(item.symbol)
    if item.kind is not Kind.DEFAULT_CHANGED or item.new != "None" or entry is None:
        return item
    param = item.where.partition("(")[2].rstrip(")")
    chosen = {text for case in entry.cases.values() for text in case.defaults.get(param, ())}
    if not any(f".{text}".endswith(f".{item.old}") for text in chosen):
        return item
    last = sorted(text.rpartition(".")[2] for text in chosen)
    return replace(item, level=Level.ADDITIVE, note=f"None stands for {' or '.join(last)}")


def _siblings(old: Surface, new: Surface) -> Iterator[Difference]:
    before = {(item.base, item.method): item.text for item in disagreements(old)}
    after = {(item.base, item.method): item.text for item in disagreements(new)}
    for base, method in dict.fromkeys([*before, *after]):
        was, now = before.get((base, method)), after.get((base, method))
        if was != now:
            yield Difference(
                Kind.SIBLINGS_DIFFER if now else Kind.SIBLINGS_AGREE,
                Level.ADDITIVE,
                base,
                method,
                was,
                now,
            )
