"""All of it for one consumer: read its sources, bind them, and join the verdicts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from packaging.version import InvalidVersion, Version

from driftgate.calls.binding import TOLD, Binding, Verdict, bind
from driftgate.calls.facts import ReleaseFacts
from driftgate.calls.ranges import RangedVerdict, compress
from driftgate.calls.reading import read_usage
from driftgate.calls.rules import load_rules
from driftgate.cells import Cell, Tier
from driftgate.errors import InvalidDataError
from driftgate.findings import ContractResult, State, finding_id
from driftgate.surface.store import load_surface, recorded_releases

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from driftgate.calls.model import Usage
    from driftgate.calls.rules import CallRules
    from driftgate.findings import Finding
    from driftgate.paths import Project
    from driftgate.released.sources import ConsumerSources
    from driftgate.surface.model import Surface

SURFACE = "surface:"
"""How results spell what calls were bound against: ``surface:0.7.4``."""


@dataclass(frozen=True)
class CallReport:
    """A consumer's calls, and how they fare.

    Attributes:
        consumer: As spelled.
        pinned: The recorded release that positions were compared with, or empty.
        releases: The releases bound against, oldest first.
        usage: What the consumer asks of the upstream.
        bindings: Every verdict.
        verdicts: The same, joined over releases.
    """

    consumer: str
    pinned: str
    releases: tuple[str, ...]
    usage: Usage
    bindings: tuple[Binding, ...]
    verdicts: tuple[RangedVerdict, ...]

    def counts(self) -> dict[str, int]:
        """Return how many calls and names have each verdict in some release."""
        found: dict[str, set[tuple[str, str]]] = {
            verdict.slug: set()
            for verdict in Verdict
            if verdict not in (Verdict.ACCEPTS, Verdict.ACCEPTS_BY_KEYWORD, Verdict.GUARDED)
        }
        for row in self.verdicts:
            name = row.verdict.slug
            if name in found:
                found[name].add((str(row.site), row.parameter))
        return {name: len(sites) for name, sites in found.items()}

    def as_dict(self) -> dict[str, object]:
        """Return plain containers, for JSON."""
        usage = self.usage
        return {
            "consumer": self.consumer,
            "pinned": self.pinned,
            "releases": list(self.releases),
            "calls": [call.as_dict() for call in usage.calls],
            "imports": [mention.as_dict() for mention in usage.imports],
            "reads": [mention.as_dict() for mention in usage.reads],
            "subclasses": [mention.as_dict() for mention in usage.subclasses],
            "patches": [mention.as_dict() for mention in usage.patches],
            "verdicts": [
                verdict.as_dict() | ({"id": finding_id(self.consumer, found)} if found else {})
                for verdict in self.verdicts
                for found in (verdict.finding(),)
            ],
        }

    def results(self) -> Iterator[ContractResult]:
        """Yield, as other runs do, how each release ended: a row for each verdict that matters."""
        found: dict[tuple[str, str], list[Finding]] = {}
        for verdict in self.verdicts:
            finding = verdict.finding()
            if finding is not None:
                for release in verdict.releases:
                    found.setdefault((release, finding.contract), []).append(finding)
        for release in self.releases:
            cell = Cell(self.consumer, f"{SURFACE}{release}", Tier.STATIC, "calls")
            for slug in sorted(each.slug for each in TOLD):
                findings = tuple(found.get((release, slug), ()))
                state = State.FAIL if findings else State.PASS
                yield ContractResult(cell, slug, state, findings)


def check_calls(
    sources: ConsumerSources, surfaces: Sequence[Surface], project: Project
) -> CallReport:
    """Bind a consumer against ``surfaces``, which are given oldest release first.

    Raises:
        InvalidDataError: A source is not Python, or none of them touches the upstream.
    """
    rules = load_rules(project.matrix)
    usage = read_usage(sources.files, rules.module, rules.distinctive)
    if not (usage.calls or usage.imports):
        remedy = "name the module that calls it"
        raise InvalidDataError(sources.name, f"makes no use of {rules.module}", remedy)
    pinned = _pinned(sources.pinned, rules, project)
    bindings = [
        binding
        for surface in surfaces
        for binding in bind(usage, ReleaseFacts(surface, rules), rules, pinned)
    ]
    releases = tuple(surface.release for surface in surfaces)
    return CallReport(
        consumer=sources.name,
        pinned=pinned.release if pinned is not None else "",
        releases=releases,
        usage=usage,
        bindings=tuple(bindings),
        verdicts=tuple(compress(bindings, releases)),
    )


def _pinned(pin: str, rules: CallRules, project: Project) -> ReleaseFacts | None:
    """Return the pinned release; where it is not recorded, the newest one before it."""
    try:
        wanted = Version(pin)
    except InvalidVersion:
        return None
    before = [one for one in recorded_releases(project.surfaces) if Version(one) <= wanted]
    return ReleaseFacts(load_surface(project.surfaces, before[-1]), rules) if before else None
