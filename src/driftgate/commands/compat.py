"""``driftgate compat``: try a consumer against every stub upstream, or against releases."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING

import click

from driftgate.commands.console import table_console
from driftgate.commands.options import progress_bar, rows_option, workers_option
from driftgate.compat import Plan, Run, make_plan
from driftgate.consumers import OURS
from driftgate.evidence import write_wheels
from driftgate.findings import ContractResult, State
from driftgate.paths import find_project
from driftgate.released.driven import choose_consumers
from driftgate.report.findings import finding_lines
from driftgate.report.table import degraded_lines, matrix_table, standin_line
from driftgate.results import ResultFile, summary

if TYPE_CHECKING:
    from collections.abc import Sequence

_AS_EXPECTED = {State.PASS, State.XFAIL, State.NOT_RUN}


@click.command("compat")
@click.option(
    "--consumer",
    default=OURS,
    show_default=True,
    help="ours, file:PATH, sglang==VERSION, sglang@PATH (vllm alike), or all.",
)
@click.option(
    "--upstream",
    "upstreams",
    multiple=True,
    help="Only these, not all stubs; patterns are taken, and wheel:VERSION, 'wheels:>=1,<2'.",
)
@click.option("--contract", "contracts", multiple=True, help="Only these; patterns are taken.")
@click.option("--list", "only_list", is_flag=True, help="Say what would run, and run nothing.")
@workers_option()
@click.option("--fresh", is_flag=True, help="Drive every cell anew, kept traces or not.")
@click.option("--evidence", is_flag=True, help="Write what releases came to into matrix/evidence/.")
@rows_option
@click.pass_context
def command(  # noqa: PLR0913, PLR0917 - one parameter an option
    context: click.Context,
    consumer: str,
    upstreams: Sequence[str],
    contracts: Sequence[str],
    only_list: bool,  # noqa: FBT001 - click hands flags over so
    workers: int,
    fresh: bool,  # noqa: FBT001
    evidence: bool,  # noqa: FBT001
    as_json: bool,  # noqa: FBT001
) -> None:
    """Try a consumer against every shape that flashinfer.comm has had, or may take.

    Exits with 0 where all is as expected, 1 with findings, 2 on bad usage, 3 where the harness
    itself failed.
    """
    project = find_project()
    chosen = choose_consumers(consumer, project)
    plans = [make_plan(project, each, upstreams, contracts) for each in chosen]
    if only_list:
        for plan in plans:
            _list(plan)
        return
    started = time.monotonic()
    results: list[ContractResult] = []
    problems: dict[str, None] = {}
    with ResultFile(project.results / "results") as file:
        for plan in plans:
            run = Run(plan, project, workers, fresh)
            found = _run(run, file, as_json=as_json)
            if not as_json:
                _report(found, run, str(file.path))
            results += found
            problems |= dict.fromkeys(run.problems)
    if evidence:
        click.echo(f"evidence: {write_wheels(project.matrix / 'evidence', results)}")
    click.echo(summary(results, len(problems), time.monotonic() - started))
    if problems or any(result.state not in _AS_EXPECTED for result in results):
        context.exit(1)


def _list(plan: Plan) -> None:
    for upstream, environment in plan.pairs():
        names = ", ".join(rule.id for rule in plan.rules_in(upstream, environment))
        click.echo(f"{plan.cell(upstream, environment)}: {names}")
    for upstream, environment, why in plan.left_out():
        click.echo(f"{plan.cell(upstream, environment)}: not run: {why}")


def _run(run: Run, file: ResultFile, *, as_json: bool) -> list[ContractResult]:
    results: list[ContractResult] = []
    with progress_bar() as progress:
        task = progress.add_task("cells", total=len(list(run.plan.pairs())))
        cell = None
        for result in run.results():
            file.write(result)
            results.append(result)
            if as_json:
                click.echo(json.dumps(result.as_dict()))
            if result.cell != cell:
                cell = result.cell
                progress.update(task, advance=1, description=f"{cell.upstream} {cell.environment}")
    # By name and not as they came in: two runs read alike.
    order = {upstream.name: place for place, upstream in enumerate(run.plan.upstreams)}
    results.sort(key=lambda result: order[result.cell.upstream])
    return results


def _report(results: list[ContractResult], run: Run, path: str) -> None:
    console = table_console()
    console.print(f"consumer: {run.plan.consumer.name}", markup=False, soft_wrap=True)
    console.print(matrix_table(results, run.plan.environments))
    for line in degraded_lines(results, run.plan.environments):
        console.print(f"  {line}", markup=False, soft_wrap=True)
    standins = standin_line(results)
    if standins:
        console.print(standins, markup=False, soft_wrap=True)
    for line in finding_lines(results):
        console.print(line, markup=False, soft_wrap=True)
    for problem in run.problems:
        console.print(problem, markup=False, soft_wrap=True)
    console.print(
        f"results: {path} ({run.reused} cells from kept traces)", markup=False, soft_wrap=True
    )
