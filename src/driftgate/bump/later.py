"""A later release that is better."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from packaging.version import Version

from driftgate.bump.compare import GOES_OFF
from driftgate.bump.stand import known_stub
from driftgate.cells import Tier
from driftgate.surface.store import recorded_releases
from driftgate.upstreams import find_upstream

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from driftgate.bump.model import Line
    from driftgate.bump.suite import Suite
    from driftgate.paths import Project


def pointed(lines: Iterable[Line], stage: Project, suite: Suite, new: str) -> Iterator[Line]:
    """Yield ``lines``; where fusion goes off, with the release that has it on again.

    What each shape must give is known of the fusion module alone.

    Args:
        lines: What a run of the fusion module showed.
        stage: Where records and stubs lie.
        suite: That run.
        new: The release that the pin is to move to.
    """
    for line in lines:
        # What only the release itself shows, no stub can promise.
        is_known = line.kind == GOES_OFF and Tier.STUB.value in line.seen
        release = _on_again(line, stage, suite, new) if is_known else ""
        yield replace(line, todo=f"take {release}, where it is on") if release else line


def _on_again(line: Line, stage: Project, suite: Suite, new: str) -> str:
    places = [
        suite.environments[name] for change in line.changes for name in change.where.split(", ")
    ]
    for release in recorded_releases(stage.surfaces):
        if Version(release) <= Version(new) or Version(release).is_prerelease:
            continue
        stub = known_stub(stage, release)
        upstream = find_upstream(f"stub:{stub}", stage) if stub else None
        if upstream and not any(upstream.expected_reason(place) for place in places):
            return release
    return ""
