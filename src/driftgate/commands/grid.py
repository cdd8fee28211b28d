"""``driftgate grid``: every release of a consumer against every release of the upstream."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING

import click

from driftgate.calls.ranges import spell_ranges
from driftgate.cells import Tier
from driftgate.commands.console import table_console
from driftgate.commands.options import progress_bar, workers_option
from driftgate.grid.rules import load_grid_rules
from driftgate.grid.run import GridRun, meetings_of
from driftgate.grid.selection import (
    ALL,
    RELEASES,
    select_lines,
    select_releases,
    stand_ins_for,
)
from driftgate.grid.static import static_verdicts
from driftgate.grid.table import GridTable
from driftgate.paths import find_project
from driftgate.report.grid import LEGEND, defect_lines, static_lines, works_table

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from driftgate.grid.rules import GridRules
    from driftgate.grid.selection import Line
    from driftgate.grid.static import StaticVerdict
    from driftgate.grid.verdicts import PairVerdicts
    from driftgate.upstreams import Upstream

_TIERS = (Tier.STATIC, Tier.STUB, Tier.WHEEL)
_REMEDIES = {
    Tier.STUB: "no stub stands for them, see driftgate stub",
    Tier.WHEEL: "they are not in the wheel store, see driftgate wheels fetch",
}


@click.command("grid")
@click.option(
    "--consumer",
    "consumers",
    multiple=True,
    default=(ALL,),
    show_default=True,
    help="A project (its releases), one release such as sglang==VERSION, ours, or all projects.",
)
@click.option(
    "--upstream",
    "upstreams",
    multiple=True,
    default=(RELEASES,),
    show_default=True,
    help="FlashInfer releases: one, a range such as '>=0.6.8,<0.7', or releases for all.",
)
@click.option(
    "--tier", "tiers", default=Tier.STUB.value, show_default=True, help="static,stub,wheel: some."
)
@workers_option()
@click.option("--fresh", is_flag=True, help="Drive everything anew, kept verdicts or not.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of tables.")
@click.pass_context
def command(  # noqa: PLR0913, PLR0917 - one parameter an option
    context: click.Context,
    consumers: Sequence[str],
    upstreams: Sequence[str],
    tiers: str,
    workers: int,
    fresh: bool,  # noqa: FBT001 - click hands flags over so
    as_json: bool,  # noqa: FBT001
) -> None:
    """Show which FlashInfer releases each release of a consumer works with, and what breaks where.

    A FlashInfer release is judged on the stub that stands for it, on its own wheel, or (static) on
    its recorded surface. Exits with 0 where nothing is broken, 1 with findings, 2 on bad usage.
    """
    started = time.monotonic()
    project = find_project()
    chosen_tiers = _tiers(tiers)
    rules = load_grid_rules(project.matrix)
    lines = select_lines(consumers, rules, project)
    releases = select_releases(upstreams, rules, project)
    run = GridRun(project, rules, workers, fresh)
    report = _Report(lines, releases, rules, as_json=as_json)
    for tier in chosen_tiers:
        if tier is Tier.STATIC:
            everyone = [consumer for line in lines for consumer in line.consumers]
            report.static(static_verdicts(everyone, releases, project))
        else:
            stand_ins = stand_ins_for(releases, tier, project)
            report.tier(tier, list(stand_ins), _verdicts(run, lines, stand_ins))
    report.end(run, time.monotonic() - started)
    if report.broken:
        context.exit(1)


def _tiers(text: str) -> list[Tier]:
    names = [tier.value for tier in _TIERS]
    for name in text.split(","):
        if name not in names:
            raise click.UsageError(f"--tier: {name!r} is none of {', '.join(names)}")
    return [tier for tier in _TIERS if tier.value in text.split(",")]


def _verdicts(
    run: GridRun, lines: Sequence[Line], upstreams: Mapping[str, Upstream]
) -> dict[tuple[str, str], PairVerdicts]:
    """Return the verdicts by consumer name and FlashInfer release."""
    consumers = [consumer for line in lines for consumer in line.consumers]
    meetings = [meeting for line in lines for meeting in meetings_of(line, upstreams)]
    with progress_bar() as progress:
        task = progress.add_task("pairs", total=len({meeting.place for meeting in meetings}))
        found = run.verdicts(
            meetings, lambda pair: progress.update(task, advance=1, description=pair)
        )
    return {
        (consumer.name, release): found[consumer.content, upstream.name]
        for consumer in consumers
        for release, upstream in upstreams.items()
    }


class _Report:
    """What is printed, and whether anything was broken."""

    def __init__(
        self, lines: Sequence[Line], releases: Sequence[str], rules: GridRules, *, as_json: bool
    ) -> None:
        self.broken = 0
        self.errors = 0
        self._lines = lines
        self._releases = releases
        self._rules = rules
        self._documents: list[object] | None = [] if as_json else None
        self._console = table_console()

    def static(self, found: Mapping[str, tuple[StaticVerdict, ...]]) -> None:
        for line in self._lines:
            told = list(static_lines(line, self._releases, found))
            self.broken += len(told)
            if self._documents is not None:
                self._documents.append({"tier": "static", "consumer": line.project, "calls": told})
                continue
            click.echo(f"{line.project}: calls, static tier")
            for each in told:
                click.echo(each)

    def tier(
        self,
        tier: Tier,
        judged: Sequence[str],
        verdicts: Mapping[tuple[str, str], PairVerdicts],
    ) -> None:
        missing = [release for release in self._releases if release not in judged]
        if missing and self._documents is None:
            where = spell_ranges(missing, self._releases)
            click.echo(f"not run in the {tier.value} tier: {where}; {_REMEDIES[tier]}")
        for line in self._lines:
            names = {consumer.name for consumer in line.consumers}
            own = {place: found for place, found in verdicts.items() if place[0] in names}
            grid = GridTable(line, judged, own, self._rules)
            self.broken += len(list(grid.defects()))
            self.errors += len(list(grid.errors()))
            if self._documents is not None:
                self._documents.append({"tier": tier.value, **grid.as_dict()})
                continue
            title = f"{line.project}: what each release works with ({tier.value} tier)"
            self._console.print(works_table(grid, title, self._rules.machines))
            self._console.print(LEGEND, markup=False)
            for each in defect_lines(grid):
                self._console.print(each, markup=False, soft_wrap=True)

    def end(self, run: GridRun, seconds: float) -> None:
        if self._documents is not None:
            click.echo(json.dumps(self._documents, indent=1))
        consumers = sum(len(line.consumers) for line in self._lines)
        click.echo(
            f"summary: consumers={consumers} releases={len(self._releases)} "
            f"pairs={run.driven + run.reused} reused={run.reused} cells={run.cells} "
            f"broken={self.broken} error={self.errors} seconds={seconds:.1f}"
        )
