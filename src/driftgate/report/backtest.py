"""The score of a backtest as a table, and what is behind each row of it as lines."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.table import Table
from rich.text import Text

from driftgate.backtest.score import Fate

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from driftgate.backtest.score import Outcome, Side

_COLOURS = {
    Fate.ERROR: "bold red",
    Fate.FALSE_ALARM: "bold red",
    Fate.MISSED: "red",
    Fate.KNOWN_MISS: "yellow",
    Fate.NEEDS: "dim",
    Fate.CAUGHT: "green",
    Fate.QUIET: "green",
}
_SHOWN_FINDINGS = 3


def score_table(outcomes: Iterable[Outcome]) -> Table:
    """Return a table with a row for each incident and each control."""
    table = Table(box=None, pad_edge=False)
    for heading in ("id", "fate", "seen on", "what"):
        table.add_column(heading, no_wrap=heading != "what")
    for each in outcomes:
        seen = "+".join(each.tiers) + (" (fixture)" if each.is_by_fixture else "")
        fate = Text(each.fate.value, style=_COLOURS[each.fate])
        table.add_row(Text(each.row.id), fate, seen, Text(each.row.what))
    return table


def outcome_lines(outcome: Outcome) -> Iterator[str]:
    """Yield what is behind one row: contracts, cases, what was expected and what was seen."""
    row = outcome.row
    refs = getattr(row, "refs", ())
    yield f"{row.id}: {outcome.fate.value}" + (f" ({', '.join(refs)})" if refs else "")
    yield f"    {row.what}"
    for text in (getattr(row, "missed", ""), getattr(row, "needs", "")):
        if text:
            yield f"    {text}"
    for each in outcome.shown:
        about = f", about {each.proof.about}" if each.proof.about else ""
        yield f"  - {each.proof.contract}{about}"
        yield from _side_lines("bad ", each.bad)
        yield from _side_lines("good", each.good)
    if outcome.side is not None:
        yield from _side_lines("case", outcome.side)


def _side_lines(name: str, side: Side) -> Iterator[str]:
    seen = "red" if side.is_red else "green" if side.is_green else side.answer.state.value
    more = [text for text in (side.answer.activity, side.answer.reason) if text]
    told = f" ({'; '.join(more)})" if more else ""
    yield f"      {name} is {seen}{told}: {side.case}"
    for finding in side.findings[:_SHOWN_FINDINGS]:
        place = " at ".join(part for part in (finding.symbol, finding.site) if part)
        yield f"          {place or 'there'}: expected {finding.expected}, got {finding.got}"
    if len(side.findings) > _SHOWN_FINDINGS:
        yield f"          … and {len(side.findings) - _SHOWN_FINDINGS} more"
