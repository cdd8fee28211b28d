"""What is wanted of a release, and what came of it; read on both sides of the process border."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from driftgate.errors import DriftgateError

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping
    from pathlib import Path

    from driftgate.trace import Json


class AbsentError(DriftgateError):
    """A release does not have what an exercise is about.

    Attributes:
        what: What it does not have.
    """

    def __init__(self, what: str) -> None:
        self.what = what
        super().__init__(f"this release has no {what}")


@dataclass(frozen=True)
class Wanted:
    """A release, and what it is to be put through.

    Attributes:
        name: The release as it is spelled, to tell answers apart.
        folder: Holds the package.
        version: The release; empty for a tree that is none.
        exercises: Their names.
    """

    name: str
    folder: Path
    version: str
    exercises: Collection[str]


@dataclass(frozen=True)
class Played:
    """One exercise on one release.

    Attributes:
        value: What it returned; None where it did not get so far.
        absent: Why there was nothing to exercise; empty where there was.
        error: How it died, or what it raised; empty where it did not.
        ending: What was written to stdout and stderr from its end until its process was gone.
    """

    value: Json = None
    absent: str = ""
    error: str = ""
    ending: str = ""


@dataclass(frozen=True)
class Outcome:
    """What came of one release.

    Attributes:
        refused: Why it cannot be had, or imported by this interpreter; empty where it can.
        error: How its process died; empty where it did not.
        played: What each exercise left, by name.
    """

    refused: str = ""
    error: str = ""
    played: Mapping[str, Played] = field(default_factory=dict)

    def get(self, name: str) -> Played:
        """Return what one exercise left; of a release that is refused anyhow, nothing."""
        if self.refused:
            return Played(absent=self.refused)
        return self.played.get(name, Played(error=self.error))
