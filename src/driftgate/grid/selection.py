"""Which consumer releases and which FlashInfer releases meet in a grid."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.version import Version

from driftgate.cells import Tier
from driftgate.errors import UnknownNameError
from driftgate.released.driven import choose_consumer, known_releases, released_consumer
from driftgate.released.fetch import is_fetched
from driftgate.released.rows import load_consumer_rows
from driftgate.surface.store import recorded_releases
from driftgate.upstreams import find_upstream, upstream_names, wheel_names
from driftgate.wheels.store import cache_folder

if TYPE_CHECKING:
    from collections.abc import Sequence

    from driftgate.consumers import Consumer
    from driftgate.grid.rules import GridRules
    from driftgate.paths import Project
    from driftgate.upstreams import Upstream

RELEASES = "releases"
ALL = "all"


@dataclass(frozen=True)
class Line:
    """The releases of one consumer, oldest first.

    Attributes:
        project: Its name; for a single consumer that is no release, as spelled.
        consumers: One a release.
    """

    project: str
    consumers: tuple[Consumer, ...]

    def label(self, consumer: Consumer) -> str:
        """Return a consumer's release, or its name where it has none."""
        return consumer.name.removeprefix(f"{self.project}==")


def select_lines(spelled: Sequence[str], rules: GridRules, project: Project) -> list[Line]:
    """Return what the names of consumers mean; a project's name means its releases.

    Raises:
        UnknownNameError: A name means nothing.
        DriftgateError: A release cannot be had.
    """
    rows = load_consumer_rows(project.matrix)
    names = [name for one in spelled for name in (rules.consumers if one == ALL else [one])]
    lines = []
    for name in dict.fromkeys(names):
        if name in rules.consumers and name in rows:
            row, wanted = rows[name], rules.consumers[name]
            releases = [
                each for each in known_releases(row) if wanted.contains(each, prereleases=True)
            ]
            lines.append(Line(name, tuple(released_consumer(row, each) for each in releases)))
        else:
            consumer = choose_consumer(name, project)
            lines.append(Line(name.partition("==")[0], (consumer,)))
    return lines


def fetched_lines(rules: GridRules, project: Project) -> list[Line]:
    """Return the releases of all projects that can be had without the network."""
    rows, cache = load_consumer_rows(project.matrix), cache_folder()
    lines = []
    for name, wanted in rules.consumers.items():
        row = rows[name]
        releases = [
            release
            for release in known_releases(row)
            if wanted.contains(release, prereleases=True) and is_fetched(row, release, cache)
        ]
        lines.append(Line(name, tuple(released_consumer(row, each) for each in releases)))
    return lines


def select_releases(spelled: Sequence[str], rules: GridRules, project: Project) -> list[str]:
    """Return the FlashInfer releases meant: ``releases``, versions, or ranges; oldest first.

    Raises:
        UnknownNameError: A version is not recorded, or a range holds none.
    """
    known = [
        release
        for release in recorded_releases(project.surfaces)
        if rules.releases.contains(release)
    ]
    chosen: set[str] = set()
    for one in spelled:
        found = set(known) if one == RELEASES else _in_range(one, known)
        if not found:
            raise UnknownNameError("release or range", one, (RELEASES, *known))
        chosen |= found
    return sorted(chosen, key=Version)


def _in_range(text: str, known: Sequence[str]) -> set[str]:
    try:
        wanted = SpecifierSet(text)
    except InvalidSpecifier:
        return {release for release in known if release == text}
    return set(wanted.filter(known))


def home_of(consumer: Consumer, releases: Sequence[str]) -> str:
    """Return the release that a consumer pins, or the newest where it pins none of ``releases``."""
    return consumer.pinned if consumer.pinned in releases else releases[-1]


def stand_ins_for(releases: Sequence[str], tier: Tier, project: Project) -> dict[str, Upstream]:
    """Return the upstream that each release is judged on in ``tier``, where there is one."""
    names = wheel_names(project) if tier is Tier.WHEEL else upstream_names(project)
    upstreams = [find_upstream(name, project) for name in names]
    found: dict[str, Upstream] = {}
    for release in releases:
        for upstream in upstreams:
            if release in upstream.stands_for and not upstream.missing:
                found[release] = upstream
    return found
