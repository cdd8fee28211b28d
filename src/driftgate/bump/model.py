"""Verdicts on a bump, as values."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from driftgate.surface.difference import Difference


class Verdict(str, Enum):
    """What a maintainer has to do, worst first.

    ``BLOCKED``: the new release cannot be used here at all. ``CHANGE``: the consumer, or what it
    is installed with, must change. ``GPU``: nothing is known to break, and only a run on the
    devices meant can tell. ``SAFE_BY_KEYWORD``: it would break a caller that passes the argument
    by position, or leaves it out.
    """

    BLOCKED = "blocked"
    CHANGE = "needs a change"
    GPU = "needs a GPU run"
    SAFE_BY_KEYWORD = "safe because called by keyword"
    SAFE = "safe"

    @property
    def is_safe(self) -> bool:
        """Whether nothing has to be done."""
        return self in (Verdict.SAFE, Verdict.SAFE_BY_KEYWORD)


def worst(verdicts: list[Verdict]) -> Verdict:
    """Return the worst of ``verdicts``; safe where there are none."""
    return next((each for each in Verdict if each in verdicts), Verdict.SAFE)


@dataclass(frozen=True)
class Change:
    """What changed or broke.

    Attributes:
        where: The member, parameter, branch or environment within the line's symbol.
        old: What was, or what was expected; empty where there was nothing.
        new: What is, or what was seen; empty where there is nothing.
        note: What these do not say.
    """

    where: str = ""
    old: str = ""
    new: str = ""
    note: str = ""


@dataclass(frozen=True)
class Line:
    """One thing that the bump does to the consumer.

    Attributes:
        verdict: What it asks for.
        kind: The difference's kind, the contract's id, or how a call fares.
        symbol: What it is about, in the words of the call site: ``allreduce_fusion``,
            ``CommBackend``, ``requires-python``; empty for a contract that is about no symbol.
        changes: What changed or broke; more than one where the rest of the line is the same.
        why: Why that is the verdict.
        todo: What to write, or which run to make; empty where nothing is to be done.
        sites: The consumer's places that it concerns, as ``file:line``.
        since: The first release with it; empty where that is not known.
        seen: What it was seen by: ``text`` (nothing was run), ``stub``, ``wheel``.
    """

    verdict: Verdict
    kind: str
    symbol: str
    changes: tuple[Change, ...]
    why: str
    todo: str = ""
    sites: tuple[str, ...] = ()
    since: str = ""
    seen: tuple[str, ...] = ("text",)

    def as_dict(self) -> dict[str, Any]:
        """Return plain containers, for JSON."""
        return {**asdict(self), "verdict": self.verdict.value}


@dataclass(frozen=True)
class Report:
    """The verdict on one bump.

    Attributes:
        old: The release that the pin is moved from.
        new: The release that it is moved to.
        consumer: Who is to use it.
        lines: What concerns the consumer, worst first.
        already: Breaches that the old release has too.
        unused: Differences in what the consumer does not use.
        ran: What the contracts were judged on, such as ``stub:v0_7_4``.
        stub: What stands for the new release, and how that came.
        notes: What the verdict does not rest on, one line each.
    """

    old: str
    new: str
    consumer: str
    lines: tuple[Line, ...] = ()
    already: tuple[Line, ...] = ()
    unused: tuple[Difference, ...] = ()
    ran: tuple[str, ...] = ()
    stub: str = ""
    notes: tuple[str, ...] = field(default=())

    @property
    def verdict(self) -> Verdict:
        """The worst of all lines."""
        return worst([line.verdict for line in self.lines])

    def as_dict(self) -> dict[str, Any]:
        """Return plain containers, for JSON."""
        return {
            "old": self.old,
            "new": self.new,
            "consumer": self.consumer,
            "verdict": self.verdict.value,
            "lines": [line.as_dict() for line in self.lines],
            "already": [line.as_dict() for line in self.already],
            "unused": [difference.as_dict() for difference in self.unused],
            "ran": list(self.ran),
            "stub": self.stub,
            "notes": list(self.notes),
        }
