"""``driftgate ranks``: try a consumer over several real ranks on gloo."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING

import click

from driftgate.commands.console import table_console
from driftgate.commands.options import rows_option, workers_option
from driftgate.consumers import OURS
from driftgate.findings import State
from driftgate.paths import find_project
from driftgate.ranks.run import make_plan, run_plan
from driftgate.released.driven import choose_consumer
from driftgate.report.findings import finding_lines
from driftgate.report.table import matrix_table
from driftgate.results import ResultFile, summary

if TYPE_CHECKING:
    from collections.abc import Sequence

    from driftgate.findings import ContractResult
    from driftgate.ranks.run import Plan

_AS_EXPECTED = {State.PASS, State.NOT_RUN}


@click.command("ranks")
@click.option("--consumer", default=OURS, show_default=True, help="ours, file:PATH, or a release.")
@click.option("--upstream", "upstreams", multiple=True, help="Only these; patterns are taken.")
@click.option("--topology", "topologies", multiple=True, help="Only these; patterns are taken.")
@click.option("--contract", "contracts", multiple=True, help="Only these; patterns are taken.")
@click.option("--list", "only_list", is_flag=True, help="Say what would run, and run nothing.")
@workers_option("Cells at once; each is as many processes as it has ranks.")
@rows_option
@click.pass_context
def command(  # noqa: PLR0913, PLR0917 - one parameter an option
    context: click.Context,
    consumer: str,
    upstreams: Sequence[str],
    topologies: Sequence[str],
    contracts: Sequence[str],
    only_list: bool,  # noqa: FBT001 - click hands flags over so
    workers: int,
    as_json: bool,  # noqa: FBT001
) -> None:
    """Try a consumer over several real ranks, with and without trouble on some of them.

    Without --upstream it is tried against every historic stub. Exits with 0 where all is as
    expected, 1 with findings, 2 on bad usage, 3 where the harness itself failed.
    """
    project = find_project()
    plan = make_plan(project, choose_consumer(consumer, project), upstreams, topologies, contracts)
    if only_list:
        for upstream, case in plan.pairs():
            click.echo(f"{plan.cell(upstream, case)}: {case.why}")
        return
    started = time.monotonic()
    results: list[ContractResult] = []
    with ResultFile(project.results / "results") as file:
        click.echo(f"results: {file.path}", err=True)
        for result in run_plan(plan, workers):
            file.write(result)
            results.append(result)
            if as_json:
                click.echo(json.dumps(result.as_dict()))
    if not as_json:
        _report(plan, results)
    click.echo(summary(results, 0, time.monotonic() - started))
    if any(result.state not in _AS_EXPECTED for result in results):
        context.exit(1)


def _report(plan: Plan, results: list[ContractResult]) -> None:
    order = {upstream.name: place for place, upstream in enumerate(plan.upstreams)}
    results.sort(key=lambda result: order[result.cell.upstream])
    console = table_console()
    console.print(matrix_table(results, plan.environments()))
    for line in finding_lines(results):
        console.print(line, markup=False, soft_wrap=True)
