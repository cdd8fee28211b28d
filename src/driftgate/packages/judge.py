"""Every rule asked about one environment."""

from __future__ import annotations

from typing import TYPE_CHECKING

from driftgate.errors import IndexUnavailableError
from driftgate.insides.target import load_insides_target
from driftgate.packages.catalogue import IndexCatalogue, Layered, SiteCatalogue
from driftgate.packages.consumers import find_subject
from driftgate.packages.errors import CannotTellError
from driftgate.packages.evidence import Evidence
from driftgate.packages.model import Verdict
from driftgate.packages.rows import load_packages_target
from driftgate.packages.rules import all_rules

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from driftgate.index.settings import IndexSettings
    from driftgate.packages.catalogue import Catalogue
    from driftgate.packages.model import Environment, Rule
    from driftgate.packages.rows import PackagesTarget
    from driftgate.paths import Project


def open_catalogue(  # noqa: PLR0913 - each is a thing apart
    project: Project,
    target: PackagesTarget,
    cache: Path,
    settings: IndexSettings,
    *,
    installed: bool = False,
    site: Path | None = None,
) -> Catalogue:
    """Return where distributions are read: what is installed, where that is asked for, first."""
    index = IndexCatalogue(project, target, cache, settings)
    return Layered(SiteCatalogue(target, site), index) if installed else index


def gather(
    environment: Environment, consumer: str, project: Project, catalogue: Catalogue
) -> Evidence:
    """Return what the rules judge by.

    Args:
        environment: What is installed together.
        consumer: As spelled; empty for none.
        project: The rows.
        catalogue: Where distributions are read.

    Raises:
        DriftgateError: The consumer cannot be had.
    """
    return Evidence(
        environment,
        find_subject(consumer, catalogue) if consumer else None,
        load_packages_target(project.matrix / "packages.toml"),
        load_insides_target(project.matrix / "insides.toml"),
        catalogue,
        project,
    )


def judge(seen: Evidence, rules: Iterable[Rule] | None = None) -> Iterator[Verdict]:
    """Yield what each rule comes to; one that cannot be told says why."""
    for rule in all_rules().values() if rules is None else rules:
        yield _verdict(rule, seen)


def _verdict(rule: Rule, seen: Evidence) -> Verdict:
    try:
        return Verdict(rule, tuple(dict.fromkeys(rule.check(seen))))
    except (CannotTellError, IndexUnavailableError) as error:
        return Verdict(rule, untold=str(error))
