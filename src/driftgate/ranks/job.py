"""What a zygote of the multirank tier is sent; it imports no torch."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from driftgate.drive.job import Job
from driftgate.ranks.cases import Case


@dataclass(frozen=True)
class RankJob:
    """One consumer and one upstream, and the cases to drive them in.

    Attributes:
        job: Consumer and upstream, with no environments of its own.
        cases: What is driven, one after the other.
        folder: Where stores and journals may lie while a case runs.
    """

    job: Job
    cases: tuple[Case, ...]
    folder: str

    @property
    def preload(self) -> tuple[str, ...]:
        """Modules that this job needs, and that its process can be forked with."""
        return self.job.preload

    def as_dict(self) -> dict[str, Any]:
        """Return plain containers, for JSON."""
        return asdict(self)

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> RankJob:
        """Rebuild a job from :meth:`as_dict` and JSON."""
        return cls(
            Job.from_dict(data["job"]),
            tuple(Case.from_dict(case) for case in data["cases"]),
            data["folder"],
        )
