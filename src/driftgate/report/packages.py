"""What rules say of an environment, as text."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from driftgate.packages.evidence import Evidence
    from driftgate.packages.model import Breach, Verdict


def environment_line(seen: Evidence) -> str:
    """Return what is judged, in one line."""
    environment = seen.environment
    kin = [seen.main] if seen.main else []
    kin += [each for each in seen.companions if each not in kin]
    others = len(environment.installed) - sum(each.name in environment.installed for each in kin)
    parts = [str(each) + (f", {each.whence}" if each.whence else "") for each in kin]
    parts += [f"{others} other distributions"] if others else []
    parts += [f"Python {environment.python}"] if environment.python else []
    parts += [f"for {seen.consumer.release}"] if seen.consumer else []
    return "environment: " + ("; ".join(parts) or "nothing that is judged")


def verdict_lines(verdicts: Iterable[Verdict]) -> Iterator[str]:
    """Yield a block for each rule that is broken: what, where, and what to do."""
    for verdict in verdicts:
        if not verdict.breaches:
            continue
        data = verdict.rule.data
        like = f" (like {', '.join(data.incidents)})" if data.incidents else ""
        yield f"{'risk: ' if data.risk else ''}{verdict.rule.id}: {data.title}{like}"
        yield f"    {data.why}"
        for breach in verdict.breaches:
            yield from _breach(breach)


def _breach(breach: Breach) -> Iterator[str]:
    yield f"  - {breach.subject}" + (f" at {breach.site}" if breach.site else "")
    yield f"      expected {breach.expected}"
    yield f"      got {breach.got}"
    yield f"      do: {breach.todo}"


def unread_lines(seen: Evidence) -> Iterator[str]:
    """Yield of what no metadata is at hand, one line for each reason."""
    yield from _grouped("no metadata at hand", seen.unread.items())


def untold_lines(verdicts: Iterable[Verdict]) -> Iterator[str]:
    """Yield why rules say nothing, one line for each reason."""
    told = ((verdict.rule.id, verdict.untold) for verdict in verdicts if verdict.untold)
    yield from _grouped("not judged", told)


def _grouped(what: str, told: Iterable[tuple[str, str]]) -> Iterator[str]:
    reasons: dict[str, list[str]] = {}
    for name, reason in told:
        reasons.setdefault(reason, []).append(name)
    for reason, names in reasons.items():
        yield f"{what}: {', '.join(names)}: {reason}"
