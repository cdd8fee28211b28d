"""One finding, and everywhere that the last runs saw it."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from packaging.version import InvalidVersion, Version

from driftgate.cells import Cell, Tier
from driftgate.findings import project_of

if TYPE_CHECKING:
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

    @property
    def release(self) -> Version:
        """The consumer's release; 0 where it has none."""
        return _version(self.cell.consumer.partition("==")[2])

    @property
    def weight(self) -> tuple[Version, bool, int, Version]:
        """How well it shows the finding to others, the larger the better.

        The newest consumer, on something that stands for a release, on the realest tier of one
        process, on the newest release.
        """
        upstream = self.cell.upstream.partition(":")[2].removeprefix("v").replace("_", ".")
        version = _version(upstream)
        return self.release, version > _NONE, _TIERS.index(self.cell.tier), version


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
