"""The static tier of a grid: calls bound against recorded surfaces, nothing imported."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from driftgate.calls.check import check_calls
from driftgate.calls.model import Source
from driftgate.digests import digest_of
from driftgate.findings import finding_id
from driftgate.index.settings import read_settings
from driftgate.kept import keep
from driftgate.released.sources import ConsumerSources, find_sources
from driftgate.surface.store import load_surface
from driftgate.wheels.store import cache_folder

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from driftgate.consumers import Consumer
    from driftgate.paths import Project

_EXACTLY = "=="
_PACKAGE = Path(__file__).parent.parent


@dataclass(frozen=True)
class StaticVerdict:
    """A call that a release does not take, or where something that matters is not sent.

    Attributes:
        symbol: What is called.
        verdict: How it fares, and the parameter it is about.
        site: Where, as ``file:line``.
        releases: The FlashInfer releases, oldest first.
        id: The finding's name.
    """

    symbol: str
    verdict: str
    site: str
    releases: tuple[str, ...]
    id: str


def static_verdicts(
    consumers: Iterable[Consumer], releases: Sequence[str], project: Project
) -> dict[str, tuple[StaticVerdict, ...]]:
    """Return the verdicts on each consumer, by its name; equal content is read once.

    Raises:
        DriftgateError: A source cannot be read.
    """
    surfaces = [load_surface(project.surfaces, release) for release in releases]
    folder = project.results / "grid" / "static"
    code = digest_of((_PACKAGE / "calls", _PACKAGE / "surface", Path(__file__)))
    rows = [
        hashlib.sha256((project.surfaces / f"{release}.json").read_bytes()).hexdigest()
        for release in releases
    ]
    data = [digest_of((project.matrix / name,)) for name in ("calls.toml", "target.toml")]
    found: dict[str, tuple[StaticVerdict, ...]] = {}
    for consumer in consumers:
        parts = [consumer.content, consumer.pinned, code, *rows, *data]
        key = hashlib.sha256("\0".join(parts).encode()).hexdigest()[:32]
        kept = _load(folder / f"{key}.json")
        if kept is None:
            sources = _sources(consumer, project)
            report = check_calls(sources, surfaces, project)
            kept = tuple(
                StaticVerdict(
                    row.symbol,
                    f"{row.verdict.value} {row.parameter}".strip(),
                    str(row.site),
                    row.releases,
                    finding_id(consumer.name, finding),
                )
                for row in report.verdicts
                if (finding := row.finding()) is not None
            )
            text = json.dumps([asdict(each) for each in kept])
            keep(folder / f"{key}.json", text)
        found[consumer.name] = kept
    return found


def _sources(consumer: Consumer, project: Project) -> ConsumerSources:
    """Return the files to read: of a release, also those that are not driven."""
    if consumer.adapter is None or _EXACTLY in consumer.name:
        return find_sources(consumer.name, project.matrix, cache_folder(), read_settings())
    files = tuple(
        Source(path, Path(file).read_text(encoding="utf-8"))
        for path, file in consumer.adapter.files
    )
    return ConsumerSources(consumer.name, files)


def _load(file: Path) -> tuple[StaticVerdict, ...] | None:
    try:
        rows = json.loads(file.read_bytes())
        return tuple(StaticVerdict(**{**row, "releases": tuple(row["releases"])}) for row in rows)
    except (OSError, ValueError, KeyError, TypeError):
        return None
