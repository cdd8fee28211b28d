"""What is sent to a zygote; read on both sides, so it imports no torch."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from driftgate.cells import Environment


@dataclass(frozen=True)
class Job:
    """One consumer and one upstream, to be loaded once and driven in several environments.

    Attributes:
        source: The consumer's module: a dotted name, or a file's path.
        folders: The upstream's folders for ``sys.path``; empty where it is absent.
        environments: What is pretended, each in a process of its own.
        limit: Seconds after which a cell, or the loading, is killed.
    """

    source: str
    folders: tuple[str, ...]
    environments: tuple[Environment, ...]
    limit: float

    def as_dict(self) -> dict[str, Any]:
        """Return plain containers, for JSON."""
        return asdict(self)

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Job:
        """Rebuild a job from :meth:`as_dict` and JSON."""
        environments = tuple(Environment.from_dict(row) for row in data["environments"])
        return cls(data["source"], tuple(data["folders"]), environments, data["limit"])
