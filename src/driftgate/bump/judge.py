"""What each difference between two releases asks of the consumer."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from driftgate.bump.environment import judge_environment
from driftgate.bump.inside import judge_inside
from driftgate.bump.model import Line, Verdict
from driftgate.bump.shape import judge_shape

if TYPE_CHECKING:
    from collections.abc import Iterable

    from driftgate.bump.context import Context
    from driftgate.surface.difference import Difference

_ORDER = list(Verdict)
_JUDGES = (judge_environment, judge_shape, judge_inside)


def judge(
    differences: Iterable[Difference], context: Context
) -> tuple[list[Line], list[Difference]]:
    """Return the lines of what the consumer uses, worst first, and the differences in the rest.

    Calls that the new release does not take, and that no difference explains, get a line too.
    """
    lines, unused = [], []
    for difference in differences:
        line = next(
            (found for each in _JUDGES if (found := each(difference, context)) is not None), None
        )
        if line is None:
            unused.append(difference)
        else:
            lines.append(line)
    told = {
        (line.symbol, site) for line in lines if not line.verdict.is_safe for site in line.sites
    }
    lines += [
        problem.line
        for problem in context.problems
        if not any((problem.line.symbol, site) in told for site in problem.line.sites)
    ]
    return merged(lines), unused


def merged(lines: Iterable[Line]) -> list[Line]:
    """Join lines that differ only in what changed; the worst come first."""
    found: dict[Line, Line] = {}
    for line in lines:
        key = replace(line, changes=())
        known = found.get(key)
        found[key] = replace(line, changes=known.changes + line.changes) if known else line
    return sorted(found.values(), key=lambda line: _ORDER.index(line.verdict))
