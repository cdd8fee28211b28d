"""A grid as text: where each consumer release works, and what it breaks where."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.box import SIMPLE
from rich.table import Table
from rich.text import Text

from driftgate.calls.ranges import spell_ranges
from driftgate.contracts import all_rules
from driftgate.grid.spelling import spell

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from driftgate.grid.selection import Line
    from driftgate.grid.static import StaticVerdict
    from driftgate.grid.table import Defect, GridTable, Works

_MARKS = {True: "✓ ", False: "✗ ", None: "  "}
_STYLES = {True: "green", False: "red", None: ""}
_WIDTH = 120
LEGEND = "✓ works with the FlashInfer release that it pins, ✗ does not"


def works_table(grid: GridTable, title: str, machines: Mapping[str, str]) -> Table:
    """Return the table of FlashInfer releases that each consumer release works with.

    Args:
        grid: What was found.
        title: What the table is of.
        machines: Heading by environment.
    """
    table = Table(title=title, title_justify="left", box=SIMPLE, pad_edge=False)
    table.add_column("release", no_wrap=True)
    table.add_column("pins", no_wrap=True)
    for heading in machines.values():
        table.add_column(heading, overflow="fold")
    for row in grid.works():
        table.add_row(row.consumers, row.pinned or "-", *_squares(row, machines))
    return table


def _squares(row: Works, machines: Mapping[str, str]) -> Iterator[Text]:
    for environment in machines:
        good = row.on_pinned[environment]
        yield Text(f"{_MARKS[good]}{row.ranges[environment]}", style=_STYLES[good])


def defect_lines(grid: GridTable) -> Iterator[str]:
    """Yield the broken contracts, a block each: where from, until when, on which releases."""
    for defect in grid.defects():
        yield from _defect_block(defect)
    for error in grid.errors():
        yield _cut(f"error: {error}")


def _defect_block(defect: Defect) -> Iterator[str]:
    rule = all_rules()[defect.contract].contract
    incidents = f", like {', '.join(rule.incidents)}" if rule.incidents else ""
    yield _cut(f"{defect.contract} ({rule.severity.value}{incidents}): {rule.title}")
    yield f"    first bad {defect.first_bad}, first good {defect.first_good or 'none yet'}"
    for extent in defect.extents:
        where = ", ".join(extent.environments)
        yield _cut(f"    {extent.consumers} on {extent.releases} in {where}")
        got = extent.finding
        site = f" at {got.site}" if got.site else ""
        yield _cut(f"        expected {got.expected}, got {got.got}{site}")
        yield f"        [{extent.id}]"


def static_lines(
    line: Line, releases: Sequence[str], found: Mapping[str, tuple[StaticVerdict, ...]]
) -> Iterator[str]:
    """Yield the calls that fail, joined over consumer releases and FlashInfer releases."""
    labels = [line.label(consumer) for consumer in line.consumers]
    where: dict[tuple[str, str], dict[tuple[str, ...], list[str]]] = {}
    sites: dict[tuple[str, str], str] = {}
    names: dict[tuple[str, str], str] = {}
    for consumer in line.consumers:
        merged: dict[tuple[str, str], dict[str, None]] = {}
        for verdict in found[consumer.name]:
            what = (verdict.symbol, verdict.verdict)
            merged.setdefault(what, {}).update(dict.fromkeys(verdict.releases))
            sites[what], names[what] = verdict.site, verdict.id
        for what, bad in merged.items():
            where.setdefault(what, {}).setdefault(tuple(bad), []).append(line.label(consumer))
    for what, extents in where.items():
        yield _cut(f"{what[0]}: {what[1]} ({sites[what]})")
        yield f"    [{names[what]}]"
        for broken, consumers in extents.items():
            yield _cut(f"    {spell_ranges(consumers, labels)} on {spell(broken, releases)}")


def _cut(text: str) -> str:
    return text if len(text) <= _WIDTH else f"{text[: _WIDTH - 1]}…"
