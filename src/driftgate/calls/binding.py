"""Binds a consumer's calls against a release, as Python would, without calling anything."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

from driftgate.calls.conditions import describe, holds
from driftgate.calls.facts import Found, Presence, ReleaseFacts
from driftgate.surface.model import ParamKind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from driftgate.calls.conditions import Condition
    from driftgate.calls.model import Call, Mention, Site, Usage
    from driftgate.calls.rules import CallRules


class Verdict(str, Enum):
    """How a call fares against a release.

    ``ACCEPTS_BY_KEYWORD`` is accepted too, but parameters moved against the pinned release, so
    the same call by position would not be. ``GUARDED`` is not made: the consumer asks first.
    """

    ACCEPTS = "accepts"
    ACCEPTS_BY_KEYWORD = "accepts, because called by keyword"
    GUARDED = "not called: the consumer asks first"
    REJECTS = "rejects"
    LACKS = "requires, not sent"
    MISSING = "missing"
    SHIFTED = "positional past an insertion"
    UNSENT = "accepted, matters, not sent"
    UNRESOLVED = "unresolved"
    NOT_RECORDED = "not recorded"

    @property
    def slug(self) -> str:
        """Its name, as rows and findings spell it."""
        return self.name.lower().replace("_", "-")


BREAKING = frozenset({Verdict.REJECTS, Verdict.LACKS, Verdict.MISSING, Verdict.SHIFTED})
"""Verdicts that end in an exception, or in a wrong argument."""

TOLD = BREAKING | {Verdict.UNSENT}
"""Verdicts that are findings."""


@dataclass(frozen=True)
class Binding:
    """One verdict on one call or mention, in one release.

    Attributes:
        release: The release.
        site: Where the consumer calls.
        symbol: What is called: ``allreduce_fusion``, ``MNNVLAllReduceFusionWorkspace.destroy``.
        verdict: How it fares.
        parameter: The parameter it is about, or empty.
        detail: More, in one line, or empty.
    """

    release: str
    site: Site
    symbol: str
    verdict: Verdict
    parameter: str = ""
    detail: str = ""

    def as_dict(self) -> dict[str, str]:
        """Return plain values, for JSON."""
        return {
            "release": self.release,
            "site": str(self.site),
            "symbol": self.symbol,
            "verdict": self.verdict.slug,
            "parameter": self.parameter,
            "detail": self.detail,
        }


def bind(
    usage: Usage, facts: ReleaseFacts, rules: CallRules, pinned: ReleaseFacts | None = None
) -> Iterator[Binding]:
    """Yield verdicts on all that ``usage`` asks of a release.

    Args:
        usage: What the consumer asks.
        facts: The release.
        rules: What matters, and what calls return.
        pinned: The release that the consumer was written for; positions are compared with it.
            None: they are not compared.
    """
    for call in usage.calls:
        for found in facts.find(call.symbol):
            yield from _Bound(call, found, facts, rules, _counterpart(call, found, pinned)).judge()
    for mention in (*usage.imports, *usage.subclasses, *usage.reads, *usage.patches):
        yield from _bind_mention(mention, facts)


def _counterpart(call: Call, found: Found, pinned: ReleaseFacts | None) -> Found | None:
    if pinned is None:
        return None
    same = (one for one in pinned.find(call.symbol) if one.symbol == found.symbol)
    return next(same, None)


def _bind_mention(mention: Mention, facts: ReleaseFacts) -> Iterator[Binding]:
    """A name that is missing where nothing asks for it first."""
    found = facts.find(mention.symbol)
    absent = [one for one in found if one.presence is Presence.ABSENT]
    if len(absent) < len(found) or mention.probed or not absent:
        return
    if holds(mention.when, facts.answer) is not False:
        yield Binding(facts.release, mention.site, absent[0].symbol, Verdict.MISSING)


@dataclass(frozen=True)
class _Bound:
    """One call, against one thing that it can reach."""

    call: Call
    found: Found
    facts: ReleaseFacts
    rules: CallRules
    pinned: Found | None

    def judge(self) -> Iterator[Binding]:
        if self._holds(self.call.when) is False:
            yield self._binding(Verdict.GUARDED)
            return
        if self.found.presence is Presence.ABSENT:
            yield self._absent()
            return
        if self.found.params is None:
            yield self._binding(Verdict.NOT_RECORDED)
            return
        problems = [*self._shifted(), *self._rejected(), *self._lacking(), *self._unsent()]
        yield from problems
        if self.call.unresolved:
            yield self._binding(Verdict.UNRESOLVED, detail=", ".join(self.call.unresolved))
        elif not problems:
            moved = self._moved()
            if moved:
                yield self._binding(Verdict.ACCEPTS_BY_KEYWORD, moved[0])
            else:
                yield self._binding(Verdict.ACCEPTS)

    def _absent(self) -> Binding:
        if self.call.by_name:
            return self._binding(Verdict.UNRESOLVED, detail=", ".join(self.call.unresolved))
        return self._binding(Verdict.MISSING)

    def _rejected(self) -> Iterator[Binding]:
        names = self.found.keywords
        by_position = names & set(self.found.positional[: self.call.positional])
        if self.call.positional > len(self.found.positional) and not self.found.has(
            ParamKind.VAR_POSITIONAL
        ):
            most = len(self.found.positional)
            detail = f"takes {most} by position, {self.call.positional} are sent"
            yield self._binding(Verdict.REJECTS, detail=detail)
        for keyword in self.call.keywords:
            sent = self._holds(keyword.when)
            taken = keyword.name in names or self.found.has(ParamKind.VAR_KEYWORD)
            when = f"sent if {describe(keyword.when)}" if sent is None else ""
            if sent is not False and keyword.name in by_position:
                yield self._binding(Verdict.REJECTS, keyword.name, "also sent by position")
            elif sent is not False and not taken:
                yield self._binding(Verdict.REJECTS, keyword.name, when)

    def _shifted(self) -> Iterator[Binding]:
        if self.pinned is None or self.pinned.params is None:
            return
        count = self.call.positional
        here, there = self.found.positional[:count], self.pinned.positional[:count]
        for number, (mine, meant) in enumerate(zip(here, there, strict=False), 1):
            if mine != meant:
                detail = f"argument {number} is {mine} here, {meant} in the pinned release"
                yield self._binding(Verdict.SHIFTED, meant, detail)
                return

    def _lacking(self) -> Iterator[Binding]:
        if self.call.unresolved:
            return
        covered = self._covered()
        for name in self.found.required:
            if name not in covered:
                yield self._binding(Verdict.LACKS, name)

    def _unsent(self) -> Iterator[Binding]:
        if self.call.unresolved:
            return
        covered = self._covered()
        for row in self.rules.matters:
            if row.symbol != self.call.symbol or row.parameter in covered:
                continue
            if row.parameter in self.found.keywords:
                yield self._binding(Verdict.UNSENT, row.parameter, row.why)

    def _moved(self) -> list[str]:
        """Keywords whose parameter stands at another position than in the pinned release."""
        if self.pinned is None:
            return []
        before = {name: number for number, name in enumerate(self.pinned.positional)}
        now = {name: number for number, name in enumerate(self.found.positional)}
        return [
            name
            for name in self._sendable()
            if name in before and name in now and before[name] != now[name]
        ]

    def _covered(self) -> set[str]:
        """Names that the call can give a value."""
        by_keyword = self.found.keywords & set(self._sendable())
        return {*self.found.positional[: self.call.positional], *by_keyword}

    def _sendable(self) -> list[str]:
        return [
            keyword.name for keyword in self.call.keywords if self._holds(keyword.when) is not False
        ]

    def _holds(self, condition: Condition) -> bool | None:
        return holds(condition, lambda question: self.facts.answer(question, self.found))

    def _binding(self, verdict: Verdict, parameter: str = "", detail: str = "") -> Binding:
        return Binding(
            self.facts.release, self.call.site, self.found.symbol, verdict, parameter, detail
        )
