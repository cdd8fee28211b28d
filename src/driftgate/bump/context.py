"""What a difference is judged by."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from driftgate.bump.model import Change, Line, Verdict
from driftgate.bump.since import Key, key_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from packaging.version import Version

    from driftgate.bump.calling import Problem
    from driftgate.bump.uses import Uses
    from driftgate.calls.binding import Verdict as Fate
    from driftgate.surface.difference import Difference
    from driftgate.surface.releases import ReleaseRow

_WHERE = re.compile(r"(?:\[(?P<branches>[^\]]*)\] ?)?(?P<member>\w*)(?:\((?P<parameter>[^()]*)\))?")


@dataclass(frozen=True)
class Place:
    """Where in a symbol a difference is.

    Attributes:
        branches: The branches of an entry that it concerns, as text; empty for all.
        member: The member of a class; empty for the symbol itself.
        parameter: The parameter; empty for none.
    """

    branches: str = ""
    member: str = ""
    parameter: str = ""


def place_of(difference: Difference) -> Place:
    """Take a difference's ``where`` apart."""
    found = _WHERE.fullmatch(difference.where)
    if found is None:
        return Place()
    return Place(**{name: text or "" for name, text in found.groupdict().items()})


@dataclass(frozen=True)
class Context:
    """What a difference is judged by.

    Attributes:
        uses: What the consumer uses.
        problems: Calls of its that the new release does not take, and the old one did.
        root: The id under which differences at import stand.
        row: What the index says of the new release.
        python: The interpreter's version, as ``3.11``.
        pythons: The range of Pythons that the checkout declares.
        generic_since: The Python that each generic of the standard library came with.
        since: The release that each difference came with.
    """

    uses: Uses
    problems: tuple[Problem, ...]
    root: str
    row: ReleaseRow
    python: str
    pythons: str
    generic_since: Mapping[str, Version]
    since: Mapping[Key, str]

    def problems_of(
        self, difference: Difference, fates: Iterable[Fate], parameter: str = ""
    ) -> list[Problem]:
        """Return the problems that ``difference`` explains.

        Args:
            difference: The difference.
            fates: How a call fares because of it.
            parameter: Only about this parameter; empty for any.
        """
        wanted, label = set(fates), label_of(difference)
        return [
            problem
            for problem in self.problems
            if problem.binding.symbol == label
            and problem.binding.verdict in wanted
            and (not parameter or problem.binding.parameter == parameter)
        ]

    def line(
        self,
        difference: Difference,
        verdict: Verdict,
        why: str,
        todo: str = "",
        sites: Iterable[str] = (),
    ) -> Line:
        """Return the line that ``difference`` makes."""
        place = place_of(difference)
        label, where = label_of(difference), difference.where.removeprefix(place.member)
        if not place.parameter:
            # The member itself changed: of one class, such lines are told together.
            label, where = difference.symbol.rpartition(":")[2], difference.where
        change = Change(where, difference.old or "", difference.new or "", difference.note)
        return Line(
            verdict,
            difference.kind.value,
            label,
            (change,),
            why,
            todo,
            tuple(dict.fromkeys(sites)),
            # What is safe is told together, whenever it came.
            "" if verdict is Verdict.SAFE else self.since.get(key_of(difference), ""),
        )

    def change_at(self, difference: Difference, problems: list[Problem]) -> Line:
        """Return the line of a difference that ``problems`` come from."""
        first = problems[0].line
        line = self.line(difference, Verdict.CHANGE, first.why, first.todo)
        sites = (site for problem in problems for site in problem.line.sites)
        return replace(line, symbol=label_of(difference), sites=tuple(dict.fromkeys(sites)))


def label_of(difference: Difference) -> str:
    """Return a symbol in the words of a call site: ``Class.method``, without its module."""
    name = difference.symbol.rpartition(":")[2]
    member = place_of(difference).member
    return f"{name}.{member}" if member and ":" in difference.symbol else name
