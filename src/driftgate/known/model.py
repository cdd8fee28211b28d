"""One finding, and everywhere that the last runs saw it."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from packaging.version import InvalidVersion, Version

from driftgate.cells import Cell, Tier
from driftgate.findings import project_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from driftgate.findings import Finding
    from driftgate.grid.table import Defect

_TIERS = list(Tier)


@dataclass(frozen=True)
class Seen:
    """A finding in one cell.

    Attributes:
        cell: Where.
        finding: What was seen there.
    """

    cell: Cell
    finding: Finding

    def weight(self, pins: Mapping[str, str]) -> tuple[Version, bool, int, bool, Version]:
        """Return how well it shows the finding to others, the larger the better.

        The newest consumer, on something that stands for a release, on the realest tier, on the
        release that the consumer pins, else on the newest.

        Args:
            pins: The FlashInfer release by consumer.
        """
        consumer = self.cell.consumer
        on = _version(self.cell.upstream.partition(":")[2].removeprefix("v").replace("_", "."))
        is_pinned = str(on) == pins.get(consumer)
        release = _version(consumer.partition("==")[2])
        return release, on > _NONE, _TIERS.index(self.cell.tier), is_pinned, on


def best_first(seen: Iterable[Seen], pins: Mapping[str, str]) -> tuple[Seen, ...]:
    """Return them sorted by how well they show a finding, each once."""
    return tuple(sorted(dict.fromkeys(seen), key=lambda one: one.weight(pins), reverse=True))


@dataclass(frozen=True)
class Reach:
    """How far a finding reaches, by the verdicts that the grid has kept.

    Attributes:
        consumers: How many of the consumer's releases were looked at.
        releases: On how many FlashInfer releases.
        defect: Where it begins and ends.
    """

    consumers: int
    releases: int
    defect: Defect


@dataclass(frozen=True)
class Known:
    """A finding that the last runs saw.

    Attributes:
        id: Its name.
        seen: Where, what shows it best first.
        reach: How far it reaches; None where the grid has kept nothing of it.
    """

    id: str
    seen: tuple[Seen, ...]
    reach: Reach | None = None

    @property
    def best(self) -> Seen:
        """The cell that shows it best."""
        return self.seen[0]

    @property
    def project(self) -> str:
        """Whose consumer it is about."""
        return project_of(self.best.cell.consumer)

    @property
    def consumers(self) -> tuple[str, ...]:
        """The consumers that it was seen in, newest first."""
        return tuple(dict.fromkeys(each.cell.consumer for each in self.seen))

    @property
    def upstreams(self) -> tuple[str, ...]:
        """What the consumer of the best cell was run against where it was seen."""
        consumer = self.best.cell.consumer
        mine = (each.cell for each in self.seen if each.cell.consumer == consumer)
        return tuple(dict.fromkeys(cell.upstream for cell in mine))

    def command(self) -> str:
        """Return the one command that shows it again."""
        cell, contract = self.best.cell, self.best.finding.contract
        release = cell.upstream.partition(":")[2]
        if cell.tier is Tier.STATIC:
            return f"driftgate calls {cell.consumer} --release {release}"
        what = f"--consumer {cell.consumer} --upstream {cell.upstream}"
        if cell.tier is Tier.MULTIRANK:
            return f"driftgate ranks {what} --topology {cell.environment} --contract {contract}"
        return f"driftgate compat {what} --contract {contract}"

    def as_dict(self) -> dict[str, Any]:
        """Return plain containers, for JSON."""
        return {
            "id": self.id,
            "project": self.project,
            **asdict(self.best.finding),
            "command": self.command(),
            "seen": [
                {**each.cell.as_dict(), "expected": each.finding.expected, "got": each.finding.got}
                for each in self.seen
            ],
            "reach": None if self.reach is None else asdict(self.reach),
        }


def _version(text: str) -> Version:
    try:
        return Version(text)
    except InvalidVersion:
        return _NONE


_NONE = Version("0")
