"""What broke, told once each: contract, symbol, call site, what was expected, where it was seen."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING

from driftgate.contracts import find_rule
from driftgate.findings import State, finding_id

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from driftgate.findings import ContractResult

_SHOWN_CELLS = 3
_SHOWN_BREACHES = 3
_TOLD = (State.FAIL, State.XPASS, State.ERROR)


def finding_lines(results: Iterable[ContractResult]) -> Iterator[str]:
    """Yield the findings as text, one block a contract, then the crashes.

    A breach that many upstreams share is told once, with the cells it was seen in.
    """
    by_contract: dict[str, list[ContractResult]] = defaultdict(list)
    for result in results:
        if result.state in _TOLD:
            by_contract[result.contract].append(result)
    errors: dict[str, set[str]] = defaultdict(set)
    for contract, broken in by_contract.items():
        for result in broken:
            if result.state is State.ERROR:
                errors[result.reason].add(f"{result.cell.upstream} x {result.cell.environment}")
        yield from _contract_block(contract, [each for each in broken if each.findings])
        for result in broken:
            if result.state is State.XPASS:
                yield f"{contract}: {result.reason} [{result.cell}]"
    for reason, cells in errors.items():
        yield f"error: {reason}"
        yield f"    in {_shorten(sorted(cells))}"


def _contract_block(contract: str, broken: list[ContractResult]) -> Iterator[str]:
    if not broken:
        return
    rule = find_rule(contract).contract
    incidents = f" (like {', '.join(rule.incidents)})" if rule.incidents else ""
    yield f"{contract}: {rule.title}{incidents}"
    yield f"    {rule.severity.value}: {rule.why}"
    cells: dict[tuple[str, str, str], list[str]] = defaultdict(list)
    told: dict[tuple[str, str, str], list[str]] = defaultdict(list)
    for result in broken:
        for finding in result.findings:
            name = finding_id(result.cell.consumer, finding)
            place = (finding.symbol, finding.site, name)
            cells[place].append(f"{result.cell.upstream} x {result.cell.environment}")
            told[place].append(f"expected {finding.expected}, got {finding.got}")
    for (symbol, site, name), where in cells.items():
        at = " ".join(part for part in (symbol, f"at {_relative(site)}" if site else "") if part)
        yield f"  - {at or 'the consumer'} [{name}]"
        for line in _first(dict.fromkeys(told[symbol, site, name])):
            yield f"      {line}"
        yield f"      in {_shorten(list(dict.fromkeys(where)))}"


def _first(lines: Iterable[str]) -> Iterator[str]:
    lines = list(lines)
    yield from lines[:_SHOWN_BREACHES]
    if len(lines) > _SHOWN_BREACHES:
        yield f"… and {len(lines) - _SHOWN_BREACHES} more"


def _shorten(cells: list[str]) -> str:
    more = len(cells) - _SHOWN_CELLS
    return ", ".join(cells[:_SHOWN_CELLS]) + (f" and {more} more" if more > 0 else "")


def _relative(site: str) -> str:
    path, _, line = site.rpartition(":")
    try:
        return f"{Path(path).relative_to(Path.cwd())}:{line}"
    except ValueError:
        return site
