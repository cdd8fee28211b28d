"""``driftgate backtest``: which public incidents the contracts would have caught."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from driftgate.backtest.rows import Backtest, read_backtest
from driftgate.backtest.run import ask_all
from driftgate.backtest.score import figures, score, unexpected
from driftgate.commands.console import table_console
from driftgate.commands.options import workers_option
from driftgate.paths import find_project
from driftgate.report.backtest import outcome_lines, score_table
from driftgate.results import ResultFile
from driftgate.selection import matching

if TYPE_CHECKING:
    from collections.abc import Sequence

    from driftgate.backtest.model import Answer, Question
    from driftgate.backtest.score import Outcome


@dataclass(frozen=True)
class _Row:
    """One answered question, for the result file."""

    question: Question
    answer: Answer

    def as_dict(self) -> dict[str, Any]:
        case = self.question.case.as_dict()
        return {"case": case, "contract": self.question.contract, **self.answer.as_dict()}


@click.command("backtest")
@click.argument("ids", nargs=-1)
@click.option(
    "--incidents",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Rows to read instead of matrix/incidents.toml.",
)
@click.option("--details", is_flag=True, help="Tell what is behind every row, not only the odd.")
@workers_option()
@click.pass_context
def command(
    context: click.Context,
    ids: Sequence[str],
    incidents: Path | None,
    details: bool,  # noqa: FBT001 - click hands flags over so
    workers: int,
) -> None:
    """Ask again where each public incident happened, and where it did not.

    An incident is caught where its contract is broken in the bad case and kept in the good one. A
    control is a change that nobody has to act on. IDS select rows, patterns are taken, and make
    the report tell all about them. Exits with 0 where all is as expected, 1 where an incident is
    missed or a good case is flagged, 2 on bad input, 3 where the harness itself failed.
    """
    started = time.monotonic()
    project = find_project()
    backtest = read_backtest(incidents or project.matrix / "incidents.toml", project)
    chosen = _select(backtest, ids)
    answers: dict[Question, Answer] = {}
    with ResultFile(project.results / "results") as file:
        for question, answer in ask_all(chosen.questions(), project, workers):
            file.write(_Row(question, answer))
            answers[question] = answer
    outcomes = score(chosen, answers)
    _report(outcomes, everything=details or bool(ids))
    click.echo(f"results: {file.path}")
    click.echo(figures(outcomes, time.monotonic() - started))
    if any(unexpected(outcomes)):
        context.exit(1)


def _select(backtest: Backtest, ids: Sequence[str]) -> Backtest:
    wanted = set(matching("incident", ids, backtest.ids()))
    return Backtest(
        tuple(each for each in backtest.incidents if each.id in wanted),
        tuple(each for each in backtest.controls if each.id in wanted),
    )


def _report(outcomes: Sequence[Outcome], *, everything: bool) -> None:
    console = table_console()
    console.print(score_table(outcomes))
    for outcome in outcomes if everything else list(unexpected(outcomes)):
        for line in outcome_lines(outcome):
            console.print(line, markup=False, soft_wrap=True)
