"""Calls in the consumer's text that the new release does not take."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from driftgate.bump.model import Change, Line, Verdict
from driftgate.bump.since import start_of_run
from driftgate.calls.binding import BREAKING, Binding
from driftgate.calls.binding import Verdict as Fate

if TYPE_CHECKING:
    from collections.abc import Sequence

    from driftgate.calls.check import CallReport

_BAD = BREAKING | {Fate.UNSENT}
_WHY = {
    Fate.REJECTS: "sent, and not taken: a TypeError",
    Fate.LACKS: "required, and not sent: a TypeError",
    Fate.MISSING: "used, and gone",
    Fate.SHIFTED: "given by position, and another parameter is there now",
}


@dataclass(frozen=True)
class Problem:
    """A call that the new release does not take.

    Attributes:
        binding: How it fares there.
        line: The same as a line.
        already: Whether it fares so in the old release too.
    """

    binding: Binding
    line: Line
    already: bool


def find_problems(report: CallReport, old: str, releases: Sequence[str]) -> list[Problem]:
    """Return what the last of ``releases`` does not take, with the release that it came with.

    Args:
        report: Of the calls against all of ``releases``.
        old: The release that the calls work with.
        releases: From the old one to the new one, oldest first.
    """
    holding: dict[tuple[object, ...], list[str]] = {}
    for one in report.bindings:
        if one.verdict in _BAD:
            holding.setdefault(_key(one), []).append(one.release)
    gone = {
        (str(one.site), one.symbol)
        for one in report.bindings
        if one.release == old and one.verdict is Fate.MISSING
    }
    found = {}
    for one in report.bindings:
        if one.release == releases[-1] and one.verdict in _BAD:
            where = holding[_key(one)]
            line = _line(one, start_of_run(where, releases))
            # What lacked the symbol, or the class that holds it, failed at the same place.
            failed = any((str(one.site), name) in gone for name in _with_owner(one.symbol))
            already = old != releases[-1] and (failed or old in where)
            found[_key(one)] = Problem(one, line, already)
    return list(found.values())


def _key(binding: Binding) -> tuple[object, ...]:
    return (binding.site, binding.symbol, binding.verdict, binding.parameter)


def _with_owner(symbol: str) -> tuple[str, ...]:
    owner, _, _ = symbol.rpartition(".")
    return (symbol, owner) if owner else (symbol,)


def _line(binding: Binding, since: str) -> Line:
    fate = binding.verdict
    where = f"({binding.parameter})" if binding.parameter else ""
    return Line(
        Verdict.CHANGE,
        fate.name.lower(),
        binding.symbol,
        (Change(where, note="" if fate is Fate.UNSENT else binding.detail),),
        binding.detail if fate is Fate.UNSENT else _WHY[fate],
        _todo(binding),
        (str(binding.site),),
        since,
    )


def _todo(binding: Binding) -> str:
    name = binding.parameter
    if binding.verdict is Fate.SHIFTED or (binding.verdict is Fate.REJECTS and not name):
        return "give every argument by name"
    if binding.verdict is Fate.REJECTS:
        return f"send {name} only where inspect.signature shows it"
    if binding.verdict is Fate.MISSING:
        return "look it up with getattr, and go without where it is gone"
    return f"send {name}=… where inspect.signature shows it"
