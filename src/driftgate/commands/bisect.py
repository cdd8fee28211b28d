"""``driftgate bisect``: the first release that breaks a contract."""

from __future__ import annotations

import os
import textwrap
import time
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

import click
from packaging.version import Version

from driftgate.bump.bisect import Outcome, Trial, search
from driftgate.bump.records import between, listed, normalised, record_missing, require_order
from driftgate.bump.staging import staged
from driftgate.bump.stand import stand_for
from driftgate.bump.trial import Trier
from driftgate.commands.console import table_console
from driftgate.consumers import OURS
from driftgate.contracts import all_rules
from driftgate.errors import UnknownNameError
from driftgate.index.settings import read_settings
from driftgate.paths import find_project
from driftgate.released.driven import choose_consumer
from driftgate.wheels.provide import fetch_missing

if TYPE_CHECKING:
    from driftgate.paths import Project


@click.command(name="bisect")
@click.argument("contract")
@click.option("--good", required=True, help="A release that keeps it.")
@click.option("--bad", required=True, help="A later release that breaks it.")
@click.option(
    "--consumer", default=OURS, show_default=True, help="ours, file:PATH, sglang==VERSION …"
)
@click.option(
    "--tier",
    type=click.Choice(["stub", "wheel"]),
    default="stub",
    show_default=True,
    help="Whether stubs stand for the releases, or the releases themselves are run.",
)
@click.option("--pre", is_flag=True, help="Try pre-releases too, read from the index.")
def command(  # noqa: PLR0913, PLR0917 - one parameter an option
    contract: str,
    good: str,
    bad: str,
    consumer: str,
    tier: str,
    pre: bool,  # noqa: FBT001 - click hands flags over so
) -> None:
    """Name the first release that breaks CONTRACT, between one that keeps it and one that does not.

    Exits with 0 where it is found, 2 where the good release is bad or the bad one good.
    """
    started = time.monotonic()
    project = find_project()
    first, last = normalised(good), normalised(bad)
    require_order(first, last, "give the older release with --good, the newer with --bad")
    if not any(fnmatchcase(name, contract) for name in all_rules()):
        raise UnknownNameError("contract", contract, tuple(all_rules()))
    output = table_console()
    trials: list[Trial] = []
    with staged(project) as copied:
        stage = copied.copy
        chosen = choose_consumer(consumer, stage)
        releases = _releases(stage, first, last, pre=pre)
        output.print(f"{contract}, {chosen.name}: {len(releases)} releases", markup=False)

        trier = Trier(stage, chosen, contract, os.cpu_count() or 1)

        def judge(release: str) -> Trial:
            record_missing(stage, [release], read_settings())
            return trier.on(release, _upstream(stage, release, tier))

        for trial in search(releases, judge):
            trials.append(trial)
            output.print(f"  {trial.release:<14} {trial.outcome.value}", markup=False)
    broken = [trial for trial in trials if trial.outcome is Outcome.BROKEN]
    found = min(broken, key=lambda trial: Version(trial.release))
    before = releases[releases.index(found.release) - 1]
    click.echo(f"first bad: {found.release} (the release before it is {before})")
    click.echo(textwrap.fill(found.detail, 100, initial_indent="  ", subsequent_indent="  "))
    seconds = time.monotonic() - started
    click.echo(f"summary: releases={len(releases)} tried={len(trials)} seconds={seconds:.1f}")


def _upstream(stage: Project, release: str, tier: str) -> str:
    if tier == "wheel":
        fetch_missing(stage, [release])
        return f"wheel:{release}"
    stand = stand_for(stage, release)
    if stand is None:
        raise UnknownNameError("stub for release", release, ())
    return f"stub:{stand.stub}"


def _releases(stage: Project, good: str, bad: str, *, pre: bool) -> list[str]:
    """Return the releases to search, oldest first; both ends are read where they are not known."""
    settings = read_settings()
    record_missing(stage, [good, bad], settings)
    known = between(stage, good, bad)
    if not pre:
        return known
    offered, _ = listed(stage, settings)
    first, last = Version(good), Version(bad)
    more = [each for each in offered if first < Version(each) < last]
    return sorted({*known, *more}, key=Version)
