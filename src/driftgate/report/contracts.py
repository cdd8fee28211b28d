"""The contracts as a page of documentation."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from driftgate.contracts import all_rules, rank_rules
from driftgate.contracts.upstream import upstream_rules
from driftgate.packages import rules as packages

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from driftgate.contracts.base import Rule
    from driftgate.contracts.upstream.base import ReleaseRule
    from driftgate.packages.model import Rule as PackageRule


def contracts_page() -> str:
    """Return the page, in Markdown."""
    return "\n".join(_lines()) + "\n"


def _lines() -> Iterator[str]:
    rules, together = all_rules().values(), rank_rules().values()
    releases, installed = upstream_rules().values(), packages.all_rules().values()
    yield "# Contracts"
    yield ""
    yield "<!-- Written by `driftgate contracts --write docs/contracts.md`: do not edit. -->"
    yield ""
    yield f"{len(rules)} rules that every consumer must keep where they are judged,"
    yield f"{len(together)} that its ranks must keep together,"
    yield f"{len(releases)} about one release of the upstream by itself,"
    yield f"and {len(installed)} about what is installed side by side."
    for family, members in groupby(rules, key=lambda rule: rule.contract.family):
        yield ""
        yield f"## {family.value}"
        for rule in members:
            yield from _section(rule)
    yield ""
    yield "## several ranks"
    for rule in together:
        yield from _section(rule)
    yield ""
    yield "## one release"
    for each in releases:
        yield from _release_section(each)
    yield ""
    yield "## packages"
    for one in installed:
        yield from _package_section(one)


def _section(rule: Rule) -> Iterator[str]:
    contract = rule.contract
    yield from _head(rule.id, contract.title)
    yield f"- Why: {contract.why}."
    yield f"- Severity: {contract.severity.value}"
    yield f"- Environments: {', '.join(f'`{name}`' for name in contract.environments)}"
    yield from _incidents(contract.incidents)
    if contract.needs_active:
        yield "- Not run where fusion is off"
    if contract.needs:
        needed = ", ".join(f"`{name}`" for name in contract.needs)
        yield f"- Not run for consumers that lack: {needed}"


def _release_section(rule: ReleaseRule) -> Iterator[str]:
    contract = rule.contract
    yield from _head(rule.id, contract.title)
    yield f"- Why: {contract.why}."
    yield f"- Severity: {contract.severity.value}"
    yield f"- Seen on: {contract.tier.value}"
    yield from _incidents(contract.incidents)


def _package_section(rule: PackageRule) -> Iterator[str]:
    yield from _head(rule.id, rule.data.title)
    yield f"- Why: {rule.data.why}."
    yield from _incidents(rule.data.incidents)


def _head(name: str, title: str) -> Iterator[str]:
    yield ""
    yield f"### {name}"
    yield ""
    yield f"{title}."
    yield ""


def _incidents(ids: Sequence[str]) -> Iterator[str]:
    if ids:
        yield f"- Incidents: {', '.join(ids)}"
