"""The release that a broken contract, or fusion that went on or off, came with."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from driftgate.bump.compare import activities, breaches
from driftgate.bump.since import start_of_run
from driftgate.bump.stand import stand_for
from driftgate.bump.suite import run_suite
from driftgate.cells import Tier
from driftgate.contracts import all_rules

if TYPE_CHECKING:
    from collections.abc import Sequence

    from driftgate.bump.model import Line
    from driftgate.bump.suite import Suite
    from driftgate.consumers import Consumer
    from driftgate.paths import Project

# Judged in most environments without a fault, so that its cells tell what fusion does.
_TELLING = "active_where_allowed"


def dated(
    lines: Sequence[Line],
    stage: Project,
    consumer: Consumer,
    releases: Sequence[str],
    workers: int,
) -> list[Line]:
    """Return ``lines`` of a run with the release that each came with.

    What stands for the releases between is run too, as far as the lines are about it.

    Args:
        lines: What the run showed.
        stage: Where the stubs lie.
        consumer: Who was run.
        releases: From the old one to the new one, oldest first.
        workers: Processes at a time.
    """
    between = releases[1:-1]
    if not lines or not between:
        return [replace(line, since=releases[-1]) for line in lines]
    stands = {release: stand_for(stage, release) for release in between}
    names = {release: f"stub:{stand.stub}" for release, stand in stands.items() if stand}
    contracts = {line.kind for line in lines}.intersection(all_rules()) | {_TELLING}
    suite = run_suite(
        stage, consumer, list(dict.fromkeys(names.values())), workers, sorted(contracts)
    )
    return [
        # What only the release itself shows, no stub can date.
        replace(line, since=_since(line, suite, names, releases))
        if Tier.STUB.value in line.seen
        else line
        for line in lines
    ]


def _since(line: Line, suite: Suite, names: dict[str, str], releases: Sequence[str]) -> str:
    showing = {name for name in suite.upstreams if _shows(line, suite, name)}
    holding = [release for release, name in names.items() if name in showing]
    return start_of_run([*holding, releases[-1]], releases)


def _shows(line: Line, suite: Suite, upstream: str) -> bool:
    """Whether ``upstream`` shows what ``line`` is about."""
    results = [each for each in suite.results if each.cell.upstream == upstream]
    if line.kind in all_rules():
        found = {key for result in results for key in breaches(result)}
        return any((contract, symbol) == (line.kind, line.symbol) for contract, _, symbol in found)
    states = activities(suite, results)
    return any(
        states.get(environment) == change.new
        for change in line.changes
        for environment in change.where.split(", ")
    )
