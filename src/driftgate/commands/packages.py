"""``driftgate packages``: whether distributions, interpreter and consumer belong together."""

from __future__ import annotations

import json
import os
import time
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from driftgate.index.settings import read_settings
from driftgate.packages.judge import gather, judge, open_catalogue
from driftgate.packages.rows import load_packages_target
from driftgate.packages.spelling import installed_in, spelled
from driftgate.paths import find_project
from driftgate.report.packages import environment_line, unread_lines, untold_lines, verdict_lines
from driftgate.wheels.store import cache_folder

if TYPE_CHECKING:
    from driftgate.packages.model import Environment, Verdict


@click.command(name="packages")
@click.argument("distributions", nargs=-1, metavar="[NAME==VERSION]...")
@click.option("--installed", is_flag=True, help="Judge what is installed here, or below --site.")
@click.option("--site", type=click.Path(path_type=Path), help="A site-packages folder.")
@click.option("--python", default="", help="The interpreter, as 3.11.")
@click.option("--consumer", default="", help="What it is for: name==version, or file:PATH.")
@click.option(
    "--variable", "variables", multiple=True, metavar="NAME=VALUE", help="One that is set."
)
@click.option("--complete", is_flag=True, help="Nothing but the distributions given is installed.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of text.")
@click.pass_context
def command(  # noqa: PLR0913, PLR0917 - one parameter an option
    context: click.Context,
    distributions: tuple[str, ...],
    site: Path | None,
    python: str,
    consumer: str,
    variables: tuple[str, ...],
    *,
    installed: bool,
    complete: bool,
    as_json: bool,
) -> None:
    """Judge an environment by its metadata and by the tops of its modules; nothing is installed.

    The environment is what NAME==VERSION arguments say, or, with --installed, what is there. A
    name without a version is one that the installer is left to choose.

    Exits 1 where something is broken; what may go well is told as a risk.
    """
    here = installed or site is not None
    if here and distributions:
        raise click.UsageError("give NAME==VERSION arguments, or --installed")
    if not (here or distributions or consumer):
        raise click.UsageError("give NAME==VERSION arguments, --installed, or --consumer")
    started = time.monotonic()
    environment = _environment(
        distributions, site, python, _pairs(variables), here=here, complete=complete
    )
    project = find_project()
    target = load_packages_target(project.matrix / "packages.toml")
    catalogue = open_catalogue(
        project, target, cache_folder(), read_settings(), installed=here, site=site
    )
    seen = gather(environment, consumer, project, catalogue)
    verdicts = list(judge(seen))
    if as_json:
        click.echo(json.dumps([_as_dict(verdict) for verdict in verdicts], indent=1))
    else:
        lines = [environment_line(seen), *verdict_lines(verdicts)]
        lines += [*unread_lines(seen), *untold_lines(verdicts)]
        click.echo("\n".join(lines))
        click.echo(_summary(verdicts, time.monotonic() - started))
    context.exit(1 if any(_fails(verdict) for verdict in verdicts) else 0)


def _environment(  # noqa: PLR0913 - as the command
    distributions: tuple[str, ...],
    site: Path | None,
    python: str,
    variables: dict[str, str],
    *,
    here: bool,
    complete: bool,
) -> Environment:
    if here:
        return installed_in(site, python, variables, environ=os.environ)
    return spelled(distributions, python, variables, complete=complete)


def _pairs(variables: tuple[str, ...]) -> dict[str, str]:
    found = {}
    for text in variables:
        name, equals, value = text.partition("=")
        if not (name and equals):
            raise click.BadParameter(f"{text!r} is no NAME=VALUE", param_hint="--variable")
        found[name] = value
    return found


def _fails(verdict: Verdict) -> bool:
    return bool(verdict.breaches) and not verdict.rule.data.risk


def _as_dict(verdict: Verdict) -> dict[str, Any]:
    return {
        "rule": verdict.rule.id,
        "risk": verdict.rule.data.risk,
        "breaches": [asdict(breach) for breach in verdict.breaches],
        "untold": verdict.untold,
    }


def _summary(verdicts: list[Verdict], seconds: float) -> str:
    untold = sum(bool(verdict.untold) for verdict in verdicts)
    fail = sum(_fails(verdict) for verdict in verdicts)
    risks = sum(bool(verdict.breaches) for verdict in verdicts) - fail
    passed = len(verdicts) - untold - fail - risks
    return (
        f"summary: rules={len(verdicts)} pass={passed} fail={fail} risk={risks} "
        f"not-run={untold} seconds={seconds:.1f}"
    )
