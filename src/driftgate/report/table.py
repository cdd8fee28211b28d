"""The matrix as a table: a row an upstream, a column a family, and whether fusion was active."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING

from rich.table import Table

from driftgate.contracts import find_rule
from driftgate.contracts.base import Family
from driftgate.findings import State

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

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


def matrix_table(
    results: Iterable[ContractResult], environments: Mapping[str, Environment]
) -> Table:
    """Return the table; a number is how many verdicts of that kind the square holds.

    Args:
        results: Every verdict of the run.
        environments: By id; what fusion did is told of those without a fault.
    """
    squares: dict[str, dict[Family, Counter[State]]] = {}
    activities: dict[str, dict[str, str]] = defaultdict(dict)
    reasons: dict[str, str] = {}
    for result in results:
        row = squares.setdefault(result.cell.upstream, defaultdict(Counter))
        row[find_rule(result.contract).contract.family][result.state] += 1
        reasons.setdefault(result.cell.upstream, result.reason)
        if result.activity and not environments[result.cell.environment].faults:
            activities[result.cell.upstream][result.cell.environment] = result.activity
    families = [family for family in Family if any(family in row for row in squares.values())]
    table = Table("upstream", "fusion", *(family.value for family in families), pad_edge=False)
    table.columns[0].no_wrap = True
    for upstream, row in squares.items():
        is_not_run = all(count.keys() == {State.NOT_RUN} for count in row.values())
        said = reasons[upstream] if is_not_run else summarize_activity(activities[upstream])
        table.add_row(
            upstream,
            said,
            *(_square(row[family]) for family in families),
        )
    return table


def standin_line(results: Iterable[ContractResult]) -> str:
    """Say which packages were stood in for, for real releases to be imported; empty for none."""
    packages = sorted({name.partition(".")[0] for result in results for name in result.standins})
    return f"stood in for, where releases import them: {', '.join(packages)}" if packages else ""


def summarize_activity(activities: dict[str, str]) -> str:
    """Say where fusion was active, and the reasons where it was not, commonest first."""
    places: dict[str, list[str]] = defaultdict(list)
    for environment, activity in activities.items():
        places[activity].append(environment)
    ordered = sorted(places.items(), key=lambda item: -len(item[1]))
    return "\n".join(_place(activity, where, len(activities)) for activity, where in ordered)


def _place(activity: str, environments: Sequence[str], total: int) -> str:
    if activity == "active":
        return f"active {len(environments)}/{total}"
    if len(environments) == total:
        return activity
    more = len(environments) - 1
    return f"{activity} in {environments[0]}" + (f" and {more} more" if more else "")


def _square(count: Counter[State]) -> str:
    for state, text in _SQUARES:
        if count[state]:
            return text.format(count[state])
    return ""
