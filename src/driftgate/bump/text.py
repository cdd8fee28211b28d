"""The report as text for a terminal: what broke, where, since when, what to do."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

from rich.text import Text

from driftgate.bump.markdown import headed, unused_by_symbol
from driftgate.bump.model import Change, Line, Report, Verdict

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

STYLES = {
    Verdict.BLOCKED: "bold red",
    Verdict.CHANGE: "red",
    Verdict.GPU: "bold magenta",
    Verdict.SAFE_BY_KEYWORD: "yellow",
    Verdict.SAFE: "green",
}
_MAX_WIDTH = 100
_MARGIN = "    "
_SHOWN = 3
_TEXT = "text"


def report_lines(report: Report, width: int) -> Iterator[Text]:
    """Yield lines of at most ``width`` or 100 columns; only a long name makes one longer."""
    width = min(width, _MAX_WIDTH)
    verdict = report.verdict
    yield Text.assemble(
        f"{report.consumer}, flashinfer {report.old} to {report.new}: ",
        (verdict.value, STYLES[verdict]),
    )
    for each in Verdict:
        lines = [line for line in report.lines if line.verdict is each]
        if lines:
            yield Text("")
            yield Text(f"{each.value} ({len(lines)})", style=STYLES[each])
        for line in lines:
            yield from _short(line, width) if each is Verdict.SAFE else _long(line, width)
    if report.already:
        yield Text("")
        yield Text(f"already so with {report.old} ({len(report.already)})", style="dim")
        for line in report.already:
            yield from _short(line, width)
    yield Text("")
    yield from _rest(report, width)


def _long(line: Line, width: int) -> Iterator[Text]:
    since = f"since {line.since}" if line.since else ""
    head = f"  {headed(line)}"
    gap = max(2, width - len(head) - len(since))
    yield Text(f"{head}{' ' * gap}{since}" if since else head, style="bold")
    for change in line.changes[:_SHOWN]:
        for sign, text in (("", change.where), ("- ", change.old), ("+ ", change.new)):
            yield from _wrapped(text, width, sign)
        yield from _wrapped(change.note, width, "  ")
    if len(line.changes) > _SHOWN:
        yield Text(f"{_MARGIN}… and {len(line.changes) - _SHOWN} more")
    yield from _wrapped(line.why, width, "why: ")
    yield from _wrapped(", ".join(line.sites), width, "at: ")
    if line.seen != (_TEXT,):
        yield from _wrapped(" and ".join(line.seen), width, "seen on: ")
    yield from _wrapped(line.todo, width, "do: ")


def _short(line: Line, width: int) -> Iterator[Text]:
    """One thing that needs no attention, in as few words as can be."""
    names = ", ".join(dict.fromkeys(_name(change) for change in line.changes if _name(change)))
    count = f" x{len(line.changes)}" if len(line.changes) > 1 else ""
    text = f"{headed(line)}{count}{f' {names}' if names else ''}: {line.why}"
    yield from _wrapped(text, width, "", margin="  ")


def _head(line: Line) -> str:
    return " ".join(part for part in (line.symbol, line.kind) if part)


def _name(change: Change) -> str:
    return change.where.strip("()")


def _rest(report: Report, width: int) -> Iterator[Text]:
    if report.unused:
        yield Text(f"not used ({len(report.unused)})", style="dim")
    for name, kinds in unused_by_symbol(report):
        yield from _wrapped(f"{name}: {kinds}", width, "", margin="  ")
    if report.unused:
        yield Text("")
    yield from _wrapped(", ".join(report.ran) or "nothing", width, "run on: ", margin="")
    yield from _wrapped(report.stub, width, "stub: ", margin="")
    for note in report.notes:
        yield from _wrapped(note, width, "note: ", margin="")


def _wrapped(text: str, width: int, sign: str, margin: str = _MARGIN) -> Iterable[Text]:
    lines = textwrap.wrap(
        text,
        width - len(margin),
        initial_indent=sign,
        subsequent_indent=" " * (len(sign) or 2),
        break_long_words=False,
        break_on_hyphens=False,
    )
    return [Text(margin + line) for line in lines]
