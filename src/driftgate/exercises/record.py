"""What an exercise left; read on both sides of the process border, so no torch."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from driftgate.errors import DriftgateError

if TYPE_CHECKING:
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
