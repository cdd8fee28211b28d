"""Verdicts on a consumer's calls as text for people."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.table import Table
from rich.text import Text

from driftgate.calls.binding import BREAKING, Verdict
from driftgate.findings import finding_id

if TYPE_CHECKING:
    from collections.abc import Iterator

    from driftgate.calls.check import CallReport
    from driftgate.calls.model import Usage
    from driftgate.calls.ranges import RangedVerdict

_LEAST_WIDTH = 15
_DOUBTFUL = frozenset({Verdict.UNSENT, Verdict.UNRESOLVED, Verdict.NOT_RECORDED})


def verdict_table(report: CallReport) -> Table:
    """Return one row per call, symbol and verdict, in order of site."""
    table = Table()
    # On a narrow terminal a long path is folded before what is said of it vanishes.
    for heading in ("call site", "symbol", "releases", "verdict"):
        table.add_column(heading, overflow="fold", min_width=_LEAST_WIDTH)
    before = ("", "")
    for row in report.verdicts:
        here = (str(row.site), row.symbol)
        table.add_row(
            Text("" if here[0] == before[0] else here[0]),
            Text("" if here == before else row.symbol),
            Text(row.ranges),
            _verdict(row, report.consumer),
        )
        before = here
    return table


def mention_lines(usage: Usage) -> Iterator[str]:
    """Yield what is imported, subclassed, read and patched, a line each."""
    for title, mentions in (
        ("imports", usage.imports),
        ("subclasses", usage.subclasses),
        ("reads", usage.reads),
        ("patches", usage.patches),
    ):
        sites: dict[str, list[str]] = {}
        for mention in mentions:
            sites.setdefault(mention.symbol, []).append(str(mention.site))
        for symbol, places in sites.items():
            more = f" and {len(places) - 1} more" if len(places) > 1 else ""
            yield f"{title:>10} {symbol}  {places[0]}{more}"


def _verdict(row: RangedVerdict, consumer: str) -> Text:
    style = "red" if row.verdict in BREAKING else "yellow" if row.verdict in _DOUBTFUL else "green"
    text = Text(row.verdict.value, style=style)
    if row.parameter:
        text.append(f": {row.parameter}")
    if row.detail:
        text.append(f" ({row.detail})", style="dim")
    finding = row.finding()
    if finding is not None:
        text.append(f" [{finding_id(consumer, finding)}]", style="dim")
    return text
