"""What is probed, and what came of it; read on both sides of the process border, so no torch."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

PROBES = "probes"
QUESTIONS = "questions"


@dataclass(frozen=True)
class Subject:
    """One upstream to be probed.

    Attributes:
        name: ``stub:v0_7_4`` or ``wheel:0.7.4``.
        folders: What goes on ``sys.path``: of a stub its own and the core's, of a release one.
        version: The release; empty for a stub.
        parts: What is asked: :data:`PROBES`, :data:`QUESTIONS`.
        block: Ask only this block of the validators' questions, and say all answers.
        exercises: Put it through these, and ask nothing; a release, or a tree that holds the
            package and has no version.
    """

    name: str
    folders: tuple[str, ...]
    version: str = ""
    parts: tuple[str, ...] = (PROBES, QUESTIONS)
    block: int | None = None
    exercises: tuple[str, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """Return plain containers, for JSON."""
        return asdict(self)

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Subject:
        """Rebuild one from :meth:`as_dict` and JSON."""
        for key in ("folders", "parts", "exercises"):
            data[key] = tuple(data[key])
        return cls(**data)


@dataclass(frozen=True)
class Answers:
    """What one upstream answered.

    Attributes:
        subject: Its name.
        records: The record of each probe, by id.
        summaries: Of the validators' blocks; empty before the unified API.
        questions: The asked block's questions and answers, where one was asked for.
        played: The record of each exercise, by name.
        standins: Modules that were stood in for.
        refused: Why it cannot be imported by this interpreter; empty where it can.
        error: How the process died; empty where it did not.
        torch: The version of torch that it ran on.
        seconds: How long it took.
    """

    subject: str
    records: dict[str, dict[str, Any]] = field(default_factory=dict)
    summaries: tuple[dict[str, Any], ...] = ()
    questions: tuple[tuple[Any, ...], ...] = ()
    played: dict[str, dict[str, Any]] = field(default_factory=dict)
    standins: tuple[str, ...] = ()
    refused: str = ""
    error: str = ""
    torch: str = ""
    seconds: float = field(default=0.0, compare=False)
