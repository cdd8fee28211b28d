"""The matrix as a table: a row an upstream, a column a family, and whether fusion was active."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING

from rich.table import Table

from driftgate.contracts import find_rule
from driftgate.contracts.base import Family
from driftgate.findings import State

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from driftgate.cells import Environment
    from driftgate.findings import ContractResult

# Worst first: a square shows the first of these that it has.
_SQUARES = (
    (State.ERROR, "[bold red]error[/]"),
    (State.FAIL, "[red]fail {}[/]"),
    (State.XPASS, "[red]xpass {}[/]"),
    (State.XFAIL, "[yellow]xfail {}[/]"),
    (State.PASS, "[green]{}[/]"),
    (State.NOT_RUN, "[dim]-[/]"),
)

_ACTIVE = "active"

# Broken in two, so that the table fits a terminal of 100 columns.
_HEADS = {
    Family.IMPORT: "im-\nport",
    Family.KEYWORDS: "key-\nwords",
    Family.DIALECT: "dia-\nlect",
    Family.FASTPATH: "fast\npath",
    Family.LOGNOISE: "log\nnoise",
    Family.LIFECYCLE: "life\ncycle",
    Family.TOPOLOGY: "topo-\nlogy",
    Family.NUMERICS: "num-\nerics",
    Family.STATUS: "sta-\ntus",
    Family.COMPILE: "com-\npile",
}


def matrix_table(
    results: Iterable[ContractResult], environments: Mapping[str, Environment]
) -> Table:
    """Return the table; a number is how many verdicts of that kind the square holds.

    Args:
        results: Every verdict of the run.
        environments: By id; what fusion did is told of those without a fault.
    """
    squares: dict[str, dict[Family, Counter[State]]] = {}
    reasons: dict[str, str] = {}
    results = list(results)
    for result in results:
        row = squares.setdefault(result.cell.upstream, defaultdict(Counter))
        row[find_rule(result.contract).contract.family][result.state] += 1
        reasons.setdefault(result.cell.upstream, result.reason)
    activities = _activities(results, environments)
    families = [family for family in Family if any(family in row for row in squares.values())]
    heads = (_HEADS.get(family, family.value) for family in families)
    table = Table("upstream", *heads, "fusion", box=None, pad_edge=False, padding=(0, 1, 0, 0))
    table.columns[0].no_wrap = True
    for column in table.columns[1:-1]:
        column.justify = "right"
    for upstream, row in squares.items():
        is_not_run = all(count.keys() == {State.NOT_RUN} for count in row.values())
        said = reasons[upstream] if is_not_run else _share_active(activities.get(upstream, {}))
        table.add_row(upstream, *(_square(row[family]) for family in families), said)
    return table


def degraded_lines(
    results: Iterable[ContractResult], environments: Mapping[str, Environment]
) -> Iterator[str]:
    """Say where fusion was off, by reason and environment, commonest first.

    Args:
        results: Every verdict of the run.
        environments: By id; what fusion did is told of those without a fault.
    """
    places: dict[tuple[str, str], list[str]] = defaultdict(list)
    for upstream, seen in _activities(results, environments).items():
        for environment, activity in seen.items():
            if activity != _ACTIVE:
                places[activity, environment].append(upstream.partition(":")[2] or upstream)
    for (activity, environment), upstreams in sorted(places.items(), key=lambda at: -len(at[1])):
        yield f"{activity} in {environment}: {', '.join(upstreams)}"


def _activities(
    results: Iterable[ContractResult], environments: Mapping[str, Environment]
) -> dict[str, dict[str, str]]:
    """What fusion did, by upstream and environment, where nothing was made to fail."""
    found: dict[str, dict[str, str]] = defaultdict(dict)
    for result in results:
        if result.activity and not environments[result.cell.environment].faults:
            found[result.cell.upstream][result.cell.environment] = result.activity
    return found


def _share_active(activities: Mapping[str, str]) -> str:
    active = sum(activity == _ACTIVE for activity in activities.values())
    return f"active {active}/{len(activities)}" if active else "off"


def standin_line(results: Iterable[ContractResult]) -> str:
    """Say which packages were stood in for, for real releases to be imported; empty for none."""
    packages = sorted({name.partition(".")[0] for result in results for name in result.standins})
    return f"stood in for, where releases import them: {', '.join(packages)}" if packages else ""


def _square(count: Counter[State]) -> str:
    for state, text in _SQUARES:
        if count[state]:
            return text.format(count[state])
    return ""
