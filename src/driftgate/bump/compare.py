"""What the contracts say of the new release, with the old one as the control."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from driftgate.bump.model import Change, Line, Verdict
from driftgate.contracts import all_rules
from driftgate.findings import State

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from driftgate.bump.suite import Suite
    from driftgate.findings import ContractResult

GOES_OFF = "goes-off"
_ACTIVE = "active"
_ALLOWED = "active_where_allowed"
# Judged on real releases alone; a release that breaks it cannot be used here by anybody.
_IMPORTS = "upstream_imports_here"


@dataclass(frozen=True)
class Pair:
    """The same tier's upstreams of the two releases.

    Attributes:
        old: The control's name.
        new: The name of what the pin is moved to.
    """

    old: str
    new: str


def compare(suite: Suite, pairs: Iterable[Pair]) -> tuple[list[Line], list[Line]]:
    """Return what breaks or changes with the new release, and what is broken in both."""
    broken: list[Line] = []
    already: list[Line] = []
    for pair in pairs:
        old = [each for each in suite.results if each.cell.upstream == pair.old]
        new = [each for each in suite.results if each.cell.upstream == pair.new]
        known = {key for result in old for key in breaches(result)}
        told = set()
        for result in new:
            for key, line in breaches(result).items():
                (already if key in known else broken).append(line)
                if result.contract == _ALLOWED:
                    told.add(result.cell.environment)
        broken += _turns(suite, pair, old, new, told)
    return _joined(broken), _joined(already)


def breaches(result: ContractResult) -> dict[tuple[str, str, str], Line]:
    """Return the lines of one verdict, by what makes a breach the same in another release."""
    environment, tier = result.cell.environment, (result.cell.tier.value,)
    if result.state is State.ERROR:
        change = Change(environment, new=result.reason)
        why = "the process that ran it died: nothing else is known of this environment"
        todo = "run it alone, with `driftgate compat`, and see why"
        line = Line(Verdict.CHANGE, "error", "", (change,), why, todo, seen=tier)
        return {("error", environment, ""): line}
    if result.state not in (State.FAIL, State.XFAIL):
        return {}
    rule = all_rules()[result.contract].contract
    verdict = Verdict.BLOCKED if result.contract == _IMPORTS else Verdict.CHANGE
    found: dict[tuple[str, str, str], Line] = {}
    for finding in result.findings:
        key = (result.contract, environment, finding.symbol)
        change = Change(environment, finding.expected, finding.got)
        line = Line(
            verdict,
            result.contract,
            finding.symbol,
            (change,),
            f"{rule.severity.value}: {_lowered(rule.why)}",
            f"make it hold again: {_lowered(rule.title)}",
            (finding.site,) if finding.site else (),
            seen=tier,
        )
        known = found.get(key)
        found[key] = replace(line, changes=known.changes + line.changes) if known else line
    return found


def _turns(
    suite: Suite,
    pair: Pair,
    old: list[ContractResult],
    new: list[ContractResult],
    told: set[str],
) -> Iterator[Line]:
    """Yield where fusion goes off or on, or takes another backend."""
    before, after = activities(suite, old), activities(suite, new)
    everywhere = suite.upstreams[pair.old].degraded.get("*", "")
    for environment, now in after.items():
        was = before.get(environment) or (f"degraded({everywhere})" if everywhere else now)
        change = Change(environment, was, now)
        seen = (suite.upstreams[pair.new].tier.value,)
        if was == now or environment in told:
            continue
        if was.startswith(_ACTIVE) and not now.startswith(_ACTIVE):
            why = "fusion is off where it was on: slower, and nothing fails"
            todo = "take a release where it stays on, or accept the loss"
            yield Line(Verdict.CHANGE, GOES_OFF, "fusion", (change,), why, todo, seen=seen)
        elif not was.startswith(_ACTIVE) and now.startswith(_ACTIVE):
            why = "fusion is on where it was off: kernels run that did not"
            todo = "compare outputs and timing with fusion off on the GPU"
            yield Line(Verdict.GPU, "goes-on", "fusion", (change,), why, todo, seen=seen)
        elif was.startswith(_ACTIVE):
            why = "another backend is chosen: other kernels, other memory"
            todo = "compare outputs and timing with the old release on the GPU"
            yield Line(Verdict.GPU, "other-backend", "fusion", (change,), why, todo, seen=seen)
        else:
            why = f"fusion is off as before, {now} where it was {was}"
            yield Line(Verdict.SAFE, "other-reason", "fusion", (change,), why, seen=seen)


def activities(suite: Suite, results: list[ContractResult]) -> dict[str, str]:
    """Return what fusion did, as ``active(trtllm)``, by environment without a fault."""
    return {
        result.cell.environment: f"{result.activity}({result.backend})"
        if result.activity == _ACTIVE and result.backend
        else result.activity
        for result in results
        if result.activity and not suite.environments[result.cell.environment].faults
    }


def _joined(lines: Iterable[Line]) -> list[Line]:
    """Join lines that say the same of several environments or tiers."""
    groups: dict[Line, list[Line]] = defaultdict(list)
    for line in lines:
        groups[replace(line, changes=(), seen=())].append(line)
    return [_one(group) for group in groups.values()]


def _one(group: list[Line]) -> Line:
    """Return one line for all of ``group``; environments with the same change share one."""
    places: dict[tuple[str, str, str], dict[str, None]] = defaultdict(dict)
    for line in group:
        for change in line.changes:
            places[change.old, change.new, change.note][change.where] = None
    changes = tuple(Change(", ".join(where), *rest) for rest, where in places.items())
    seen = tuple(dict.fromkeys(tier for line in group for tier in line.seen))
    return replace(group[0], changes=changes, seen=seen)


def _lowered(text: str) -> str:
    return text[:1].lower() + text[1:]
