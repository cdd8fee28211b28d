"""The contracts as a page of documentation."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from driftgate.contracts import all_rules, rank_rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from driftgate.contracts.base import Rule


def contracts_page() -> str:
    """Return the page, in Markdown."""
    return "\n".join(_lines()) + "\n"


def _lines() -> Iterator[str]:
    rules, together = all_rules().values(), rank_rules().values()
    yield "# Contracts"
    yield ""
    yield "<!-- Written by `driftgate contracts --write docs/contracts.md`: do not edit. -->"
    yield ""
    yield f"{len(rules)} rules that every consumer must keep in every cell where they are judged,"
    yield f"and {len(together)} that its ranks must keep together."
    for family, members in groupby(rules, key=lambda rule: rule.contract.family):
        yield ""
        yield f"## {family.value}"
        for rule in members:
            yield from _section(rule)
    yield ""
    yield "## several ranks"
    for rule in together:
        yield from _section(rule)


def _section(rule: Rule) -> Iterator[str]:
    contract = rule.contract
    yield ""
    yield f"### {rule.id}"
    yield ""
    yield f"{contract.title}."
    yield ""
    yield f"- Why: {contract.why}."
    yield f"- Severity: {contract.severity.value}"
    yield f"- Environments: {', '.join(f'`{name}`' for name in contract.environments)}"
    if contract.incidents:
        yield f"- Incidents: {', '.join(contract.incidents)}"
    if contract.needs_active:
        yield "- Not run where fusion is off"
    if contract.needs:
        needed = ", ".join(f"`{name}`" for name in contract.needs)
        yield f"- Not run for consumers that lack: {needed}"
