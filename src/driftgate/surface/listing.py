"""Differences as a list for people, grouped by symbol, the worst first."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

from rich.text import Text

from driftgate.surface.difference import Difference, Level

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

LEVEL_STYLES = {
    Level.BREAKING: "bold red",
    Level.DANGEROUS: "bold magenta",
    Level.SAFE_BY_KEYWORD: "yellow",
    Level.ADDITIVE: "green",
    Level.COSMETIC: "dim",
}
_ORDER = {level: place for place, level in enumerate(Level)}
_LEVEL_WIDTH = max(len(level.value) for level in Level) + 2
_MAX_WIDTH = 100


def difference_lines(differences: Iterable[Difference], width: int) -> Iterator[Text]:
    """Yield lines of at most ``width`` or 100 columns; only a long name makes one longer.

    What was is led by ``-``, what is by ``+``; a remark is led by nothing.
    """
    width = min(width, _MAX_WIDTH)
    groups: dict[str, list[Difference]] = {}
    for item in differences:
        groups.setdefault(item.symbol, []).append(item)
    for group in groups.values():
        group.sort(key=lambda item: _ORDER[item.level])
    for symbol, group in sorted(groups.items(), key=lambda pair: _ORDER[pair[1][0].level]):
        yield Text(symbol, style="bold")
        for item in group:
            yield from _lines(item, width)


def _lines(item: Difference, width: int) -> Iterator[Text]:
    margin = " " * (_LEVEL_WIDTH + 2)
    head = f"{item.kind.value} {item.where}".rstrip()
    yield Text.assemble((f"  {item.level.value:<{_LEVEL_WIDTH}}", LEVEL_STYLES[item.level]), head)
    for sign, text in (("- ", item.old), ("+ ", item.new), ("  ", item.note)):
        for line in _wrapped(text or "", width - len(margin), sign):
            yield Text(margin + line)


def _wrapped(text: str, width: int, sign: str) -> list[str]:
    return textwrap.wrap(
        text,
        width,
        initial_indent=sign,
        subsequent_indent=" " * len(sign),
        break_long_words=False,
        break_on_hyphens=False,
    )
