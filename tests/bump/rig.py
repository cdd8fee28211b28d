"""Two releases and a consumer held in memory, judged."""

from __future__ import annotations

from textwrap import dedent
from typing import TYPE_CHECKING

from packaging.version import Version

from driftgate.bump.calling import find_problems
from driftgate.bump.context import Context
from driftgate.bump.judge import judge
from driftgate.bump.uses import Locator, SeenCall, Uses, uses_in_text, uses_when_run
from driftgate.calls.binding import bind
from driftgate.calls.check import CallReport
from driftgate.calls.facts import ReleaseFacts
from driftgate.calls.model import Source
from driftgate.calls.reading import read_usage
from driftgate.calls.rules import CallRules, Matters
from driftgate.surface.diff import diff
from driftgate.surface.releases import ReleaseRow
from surface.sources import one_module

if TYPE_CHECKING:
    from collections.abc import Iterable
    from dataclasses import dataclass

    from driftgate.bump.model import Line
    from driftgate.surface.difference import Difference
else:
    from dataclasses import dataclass

WATCHED = ("pkg:make", "pkg:Made", "pkg:Mode", "pkg:Base", "pkg:LIMIT")
RULES = CallRules(
    module="pkg",
    returns={"pkg.make": ("pkg:Made",)},
    distinctive={"make": "pkg.make"},
    matters=(Matters("pkg.make", "group", "the wrong peers"),),
    narrowed={},
)
ROW = ReleaseRow("2", "pkg-2-py3-none-any.whl", "", 0, "", ">=3.10")


@dataclass(frozen=True)
class Judged:
    """What came out.

    Attributes:
        lines: The lines, worst first.
        unused: Differences in what is not used.
    """

    lines: list[Line]
    unused: list[Difference]

    def verdicts(self) -> dict[str, str]:
        """Verdict by kind and symbol."""
        return {f"{line.kind} {line.symbol}": line.verdict.value for line in self.lines}


def judge_texts(old: str, new: str, consumer: str, seen: Iterable[SeenCall] = ()) -> Judged:
    """Judge the bump from ``old`` to ``new``, each the source of a package that is one module."""
    surfaces = [one_module(text, *WATCHED) for text in (old, new)]
    surfaces = [type(s)(release, s.symbols) for release, s in zip("12", surfaces, strict=True)]
    source = Source("engine.py", dedent(consumer))
    usage = read_usage([source], RULES.module, RULES.distinctive)
    pinned = ReleaseFacts(surfaces[0], RULES)
    bindings = tuple(
        each for s in surfaces for each in bind(usage, ReleaseFacts(s, RULES), RULES, pinned)
    )
    report = CallReport("file", "1", ("1", "2"), usage, bindings, ())
    locator = Locator(surfaces, RULES)
    uses = [*uses_in_text(usage, [source], locator), *uses_when_run(seen, locator)]
    problems = find_problems(report, "1", ("1", "2"))
    fresh = tuple(each for each in problems if not each.already)
    return judge_with(diff(*surfaces), context(uses=Uses(uses), problems=fresh))


def judge_with(differences: list[Difference], around: Context) -> Judged:
    """Judge differences."""
    return Judged(*judge(differences, around))


def context(**fields: object) -> Context:
    """What differences are judged by; a Python 3.11 and a project for 3.10 on."""
    plain: dict[str, object] = {
        "uses": Uses(()),
        "problems": (),
        "root": "pkg",
        "row": ROW,
        "python": "3.11",
        "pythons": ">=3.10",
        "generic_since": {"array.array": Version("3.12")},
        "since": {},
    }
    return Context(**{**plain, **fields})  # type: ignore[arg-type]
