"""A finding as a report that the project concerned can read without knowing this tool."""

from __future__ import annotations

from typing import TYPE_CHECKING

from driftgate.calls.binding import Verdict
from driftgate.cells import Tier
from driftgate.contracts import all_rules, rank_rules

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from driftgate.known.model import Known, Reach

_SHOWN = 3
_LONG = 300
_EVIDENCE = {
    Tier.STATIC: "bound against the release's signatures; nothing was run",
    Tier.STUB: "run on a stub of that FlashInfer release, on a CPU",
    Tier.WHEEL: "run on FlashInfer's released Python, on a CPU, its kernels replaced",
    Tier.MULTIRANK: "run over several real processes, on a stub of that FlashInfer release",
    Tier.GPU: "run on GPUs",
}


def issue_page(
    known: Known,
    suggestions: Mapping[str, str],
    refs: Mapping[str, tuple[str, ...]],
    root: Path,
) -> str:
    """Return the report, in Markdown.

    Args:
        known: The finding.
        suggestions: What to do, by contract.
        refs: Public reports by incident.
        root: This project's folder, which is no part of any path in the report.
    """
    text = "\n".join(_lines(known, suggestions, refs, root)) + "\n"
    return text.replace(f"{root}/", "")


def _lines(
    known: Known,
    suggestions: Mapping[str, str],
    refs: Mapping[str, tuple[str, ...]],
    root: Path,
) -> Iterator[str]:
    finding = known.best.finding
    title, why, severity, incidents = _rule(finding.contract)
    yield f'# {_subject(known)} breaks the rule "{title}"'
    yield ""
    yield "| | |"
    yield "|---|---|"
    for name, value in _facts(known, severity, root):
        yield f"| {name} | {value} |"
    yield ""
    yield "## What happens"
    yield ""
    yield f"{why}."
    yield ""
    for text in _breaches(known):
        yield f"- {text}"
    yield ""
    yield "## How to see it"
    yield ""
    yield "```console"
    yield f"$ {known.command()}"
    yield "```"
    yield ""
    yield "## Suggestion"
    yield ""
    yield suggestions.get(finding.contract, f"Keep the rule: {title[0].lower()}{title[1:]}.")
    reports = [ref for incident in incidents for ref in refs.get(incident, ())]
    if reports:
        yield ""
        yield f"Public reports of the same kind: {', '.join(reports)}."


def _rule(contract: str) -> tuple[str, str, str, tuple[str, ...]]:
    """Return title, why, severity and incidents; the verdicts on calls are rules of their own."""
    rule = all_rules().get(contract) or rank_rules().get(contract)
    if rule is not None:
        row = rule.contract
        return row.title, row.why, row.severity.value, row.incidents
    meanings = {verdict.slug: verdict.value for verdict in Verdict}
    why = f"Against the release's own signature the call {meanings.get(contract, contract)}"
    return "Every call is taken as it was meant", why, "crash", ()


def _subject(known: Known) -> str:
    return known.best.cell.consumer.replace("==", " ")


def _where(site: str, root: Path) -> str:
    if not site:
        return "no single call site"
    mine = site.startswith(("stubs/", f"{root}/"))
    return f"`{site}`, {'in what stands for FlashInfer' if mine else 'as released'}"


def _facts(known: Known, severity: str, root: Path) -> Iterator[tuple[str, str]]:
    cell, finding = known.best.cell, known.best.finding
    yield "finding", f"`{known.id}`"
    yield "contract", f"`{finding.contract}` ({severity})"
    yield "where", _where(finding.site, root)
    if finding.symbol:
        yield "symbol", f"`{finding.symbol}`"
    if known.reach is not None:
        yield from _reach(known.project, known.reach)
    else:
        yield "seen in", ", ".join(known.consumers)
        yield "with FlashInfer", ", ".join(known.upstreams)
    yield "evidence", f"`{cell.upstream}` x `{cell.environment}`: {_EVIDENCE[cell.tier]}"


def _reach(project: str, reach: Reach) -> Iterator[tuple[str, str]]:
    defect = reach.defect
    good = defect.first_good or "none yet"
    yield (
        f"releases of {project}",
        f"first bad {defect.first_bad}, first good {good} ({reach.consumers} looked at)",
    )
    where = "; ".join(f"{extent.consumers} on {extent.releases}" for extent in defect.extents)
    yield "with FlashInfer", f"{where} ({reach.releases} releases looked at)"


def _breaches(known: Known) -> Iterator[str]:
    told = dict.fromkeys(
        f"expected {each.finding.expected}; got {each.finding.got}"
        for each in known.seen
        if each.cell.consumer == known.best.cell.consumer and each.cell.tier is known.best.cell.tier
    )
    for text in list(told)[:_SHOWN]:
        yield text if len(text) <= _LONG else f"{text[: _LONG - 1]}…"
    if len(told) > _SHOWN:
        yield f"and {len(told) - _SHOWN} more of the kind"
