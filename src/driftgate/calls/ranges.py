"""Verdicts over many releases, told as ranges."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from driftgate.calls.binding import TOLD, Verdict
from driftgate.findings import Finding

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from driftgate.calls.binding import Binding
    from driftgate.calls.model import Site


_TO = "\N{EN DASH}"


@dataclass(frozen=True)
class RangedVerdict:
    """One verdict on one call, and the releases it holds for.

    Attributes:
        site: Where the consumer calls.
        symbol: What is called.
        verdict: How it fares.
        parameter: The parameter it is about, or empty.
        detail: More, in one line, or empty.
        releases: The releases, oldest first.
        ranges: The same, with neighbours joined into ranges.
    """

    site: Site
    symbol: str
    verdict: Verdict
    parameter: str
    detail: str
    releases: tuple[str, ...]
    ranges: str

    def as_dict(self) -> dict[str, object]:
        """Return plain containers, for JSON."""
        return {
            "site": str(self.site),
            "symbol": self.symbol,
            "verdict": self.verdict.slug,
            "parameter": self.parameter,
            "detail": self.detail,
            "ranges": self.ranges,
            "releases": list(self.releases),
        }

    def finding(self) -> Finding | None:
        """Return what is wrong with the call; None where nothing is."""
        if self.verdict not in TOLD:
            return None
        symbol = f"{self.symbol}({self.parameter})" if self.parameter else self.symbol
        expected = "sent" if self.verdict is Verdict.UNSENT else "a call that the release takes"
        got = " ".join(part for part in (self.verdict.value, self.parameter) if part)
        detail = f" ({self.detail})" if self.detail else ""
        return Finding(self.verdict.slug, expected, got + detail, symbol, str(self.site))


def compress(bindings: Iterable[Binding], releases: Sequence[str]) -> list[RangedVerdict]:
    """Join equal verdicts of all ``releases``, which are given oldest first."""
    grouped: dict[tuple[Site, str, Verdict, str, str], list[str]] = {}
    for one in bindings:
        key = (one.site, one.symbol, one.verdict, one.parameter, one.detail)
        grouped.setdefault(key, []).append(one.release)
    order = {release: number for number, release in enumerate(releases)}
    ranged = [
        RangedVerdict(
            *key,
            releases=tuple(sorted(found, key=order.__getitem__)),
            ranges=spell_ranges(found, releases),
        )
        for key, found in grouped.items()
    ]
    return sorted(ranged, key=lambda row: (row.site, row.symbol, order[row.releases[0]]))


def spell_ranges(found: Iterable[str], releases: Sequence[str]) -> str:
    """Return ``found`` as ranges of ``releases``, which are given oldest first."""
    wanted = set(found)
    runs: list[list[str]] = []
    running = False
    for release in releases:
        if release in wanted:
            if running:
                runs[-1].append(release)
            else:
                runs.append([release])
        running = release in wanted
    return ", ".join(run[0] if len(run) == 1 else f"{run[0]}{_TO}{run[-1]}" for run in runs)
