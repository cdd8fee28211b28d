"""What a grid shows: where each consumer release works, and which contracts it breaks where."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, TypeAlias

from driftgate.calls.ranges import spell_ranges
from driftgate.contracts import all_rules
from driftgate.findings import finding_id
from driftgate.grid.selection import home_of
from driftgate.grid.spelling import spell

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from driftgate.consumers import Consumer
    from driftgate.findings import Finding
    from driftgate.grid.rules import GridRules
    from driftgate.grid.selection import Line
    from driftgate.grid.verdicts import PairVerdicts


PINNED = "the pinned release"


@dataclass(frozen=True)
class Works:
    """Where neighbouring consumer releases with equal modules and an equal pin work.

    Attributes:
        consumers: The consumer's releases, as a range.
        pinned: The FlashInfer release that they pin, or empty.
        ranges: By environment, the FlashInfer releases that they work with, as ranges.
        on_pinned: By environment, whether they work with the one they pin; None where that release
            is not in the grid.
    """

    consumers: str
    pinned: str
    ranges: Mapping[str, str]
    on_pinned: Mapping[str, bool | None]


@dataclass(frozen=True)
class Extent:
    """One contract, broken on the same FlashInfer releases by neighbouring consumer releases.

    Attributes:
        consumers: The consumer's releases, as a range.
        releases: The FlashInfer releases, as ranges.
        environments: Where it was seen broken.
        finding: One of the breaches.
        id: That breach's name; see :func:`driftgate.findings.finding_id`.
    """

    consumers: str
    releases: str
    environments: tuple[str, ...]
    finding: Finding
    id: str


@dataclass(frozen=True)
class Defect:
    """A contract that a consumer breaks somewhere.

    Attributes:
        contract: The contract's id.
        first_bad: The first consumer release that breaks it.
        first_good: The first one after the last that breaks it; empty where there is none.
        extents: Where it is broken.
    """

    contract: str
    first_bad: str
    first_good: str
    extents: tuple[Extent, ...]


# By consumer label, FlashInfer release (or PINNED) and environment.
_Findings: TypeAlias = "dict[str, dict[str, dict[str, Finding]]]"


class GridTable:
    """The verdicts of one consumer's releases on all FlashInfer releases of one tier.

    Args:
        line: The consumer's releases.
        releases: The FlashInfer releases, oldest first.
        verdicts: What was found, by consumer name and FlashInfer release.
        rules: What counts as working.
    """

    def __init__(
        self,
        line: Line,
        releases: Sequence[str],
        verdicts: Mapping[tuple[str, str], PairVerdicts],
        rules: GridRules,
    ) -> None:
        self._line = line
        self._releases = releases
        self._verdicts = verdicts
        self._rules = rules
        judged = (names for pair in verdicts.values() for names in pair.judged.values())
        self._environments = dict.fromkeys(name for names in judged for name in names)
        self._labels = [line.label(consumer) for consumer in line.consumers]

    def works(self) -> Iterator[Works]:
        """Yield a row for each run of consumer releases with equal modules and an equal pin."""
        run: list[Consumer] = []
        for consumer in self._line.consumers:
            same = run and (run[-1].content, run[-1].pinned) == (consumer.content, consumer.pinned)
            if run and not same:
                yield self._works(run)
                run = []
            run.append(consumer)
        if run:
            yield self._works(run)

    def _works(self, run: Sequence[Consumer]) -> Works:
        good: dict[str, list[str]] = {
            environment: [
                release
                for release in self._releases
                if self._works_on(run[0], release, environment)
            ]
            for environment in self._rules.machines
        }
        pinned = run[0].pinned
        return Works(
            self._range([self._line.label(each) for each in run]),
            pinned,
            {environment: self._spell(releases) for environment, releases in good.items()},
            {
                environment: pinned in releases if pinned in self._releases else None
                for environment, releases in good.items()
            },
        )

    def _works_on(self, consumer: Consumer, release: str, environment: str) -> bool:
        found = self._verdicts.get((consumer.name, release))
        return found is not None and found.works_on(environment, self._rules.works)

    def defects(self) -> Iterator[Defect]:
        """Yield every contract that is broken somewhere, in the order of the rules."""
        broken = self._broken()
        for contract in all_rules():
            if contract in broken:
                yield self._defect(contract, broken[contract])

    def _broken(self) -> dict[str, _Findings]:
        """Return the findings of each contract."""
        broken: dict[str, _Findings] = defaultdict(dict)
        for consumer in self._line.consumers:
            label = self._line.label(consumer)
            home = home_of(consumer, self._releases)
            for release in self._releases:
                found = self._verdicts.get((consumer.name, release))
                for each in found.broken if found is not None else ():
                    place = release
                    if each.environment in self._rules.on_pinned:
                        if release != home:
                            continue
                        place = PINNED
                    places = broken[each.contract].setdefault(label, {})
                    places.setdefault(place, {}).setdefault(each.environment, each.finding)
        return broken

    def _defect(self, contract: str, by_label: _Findings) -> Defect:
        groups: dict[tuple[str, ...], list[str]] = defaultdict(list)
        for label, findings in by_label.items():
            releases = tuple(each for each in findings if each != PINNED)
            for group in (releases, (PINNED,) if PINNED in findings else ()):
                if group:
                    groups[group].append(label)
        extents = []
        for releases, labels in groups.items():
            seen = [by_label[label][release] for label in labels for release in releases]
            found = {name for each in seen for name in each}
            finding = next(iter(seen[-1].values()))
            extents.append(
                Extent(
                    self._range(labels),
                    self._spell(releases),
                    tuple(name for name in self._environments if name in found),
                    finding,
                    finding_id(self._line.project, finding),
                )
            )
        last = self._labels.index(list(by_label)[-1])
        after = self._labels[last + 1 : last + 2]
        return Defect(contract, next(iter(by_label)), "".join(after), tuple(extents))

    def errors(self) -> Iterator[str]:
        """Yield every way in which cells died, with where, once each."""
        places: dict[str, list[str]] = defaultdict(list)
        for (consumer, release), found in self._verdicts.items():
            for environment, error in found.errors.items():
                places[error].append(f"{consumer} x {release} x {environment}")
        for error, cells in places.items():
            more = f" and {len(cells) - 1} more" if len(cells) > 1 else ""
            yield f"{error} in {cells[0]}{more}"

    def as_dict(self) -> dict[str, object]:
        """Return plain containers, for JSON."""
        return {
            "consumer": self._line.project,
            "works": [asdict(row) for row in self.works()],
            "defects": [asdict(defect) for defect in self.defects()],
            "errors": list(self.errors()),
        }

    def _range(self, labels: Sequence[str]) -> str:
        return spell_ranges(labels, self._labels)

    def _spell(self, releases: Sequence[str]) -> str:
        return PINNED if PINNED in releases else spell(releases, self._releases)
