"""Released consumers against the recorded surfaces, where their files are in the cache.

``driftgate calls sglang==0.5.23`` puts them there; nothing is fetched by these tests. What is
expected was found by running the releases, or is told in the bug reports about them.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from driftgate.calls.binding import Verdict
from driftgate.calls.check import CallReport, check_calls
from driftgate.index.settings import IndexSettings
from driftgate.paths import Project
from driftgate.released.errors import NoSuchReleaseError
from driftgate.released.sources import find_sources
from driftgate.surface.store import load_surfaces
from driftgate.wheels.store import cache_folder

ROOT = Path(__file__).parents[2]
PROJECT = Project(ROOT, ROOT / ".driftgate")
SURFACES = tuple(load_surfaces(PROJECT.surfaces).values())
SINCE_UNIFIED = "0.6.0\N{EN DASH}0.7.4"


def report(consumer: str) -> CallReport:
    """The consumer's report over all recorded releases, or a skip."""
    try:
        sources = find_sources(
            consumer, PROJECT.matrix, cache_folder(), IndexSettings(no_index=True)
        )
    except NoSuchReleaseError:
        pytest.skip(f"not in the cache; `driftgate calls {consumer}` puts it there")
    return check_calls(sources, SURFACES, PROJECT)


def troubles(consumer: str) -> set[tuple[str, Verdict, str, str]]:
    """Symbol, verdict, parameter and releases of all that is not accepted."""
    fine = (Verdict.ACCEPTS, Verdict.ACCEPTS_BY_KEYWORD, Verdict.GUARDED)
    return {
        (row.symbol, row.verdict, row.parameter, row.ranges)
        for row in report(consumer).verdicts
        if row.verdict not in fine
    }


CREATE = "create_allreduce_fusion_workspace"
LAMPORT = (CREATE, Verdict.REJECTS, "use_fp32_lamport", SINCE_UNIFIED)
DIALECT = (
    "MNNVLAllReduceFusionWorkspace.is_buffer_size_sufficient",
    Verdict.REJECTS,
    "use_oneshot",
    SINCE_UNIFIED,
)


@pytest.mark.parametrize(
    ("consumer", "expected"),
    [
        ("sglang==0.5.15", {LAMPORT, DIALECT}),
        ("sglang==0.5.18", {LAMPORT}),
        ("sglang==0.5.23", {LAMPORT}),
    ],
)
def test_sglang(consumer: str, expected: set[tuple[str, Verdict, str, str]]) -> None:
    """In float32 all three turn fusion off for good; only the oldest speaks the wrong dialect."""
    assert expected == troubles(consumer)


@pytest.mark.parametrize(("consumer", "sends"), [("vllm==0.22.0", False), ("vllm==0.33.0", True)])
def test_vllm_and_the_group(consumer: str, sends: bool) -> None:
    """0.22.0 leaves ``group`` out where it is taken; 0.33.0 sends it even where it is not."""
    found = {(verdict, name, over) for _, verdict, name, over in troubles(consumer)}

    missed = (Verdict.UNSENT, "group", "0.6.10.post1\N{EN DASH}0.7.4")
    rejected = (Verdict.REJECTS, "group", "0.6.0\N{EN DASH}0.6.10")
    assert (missed in found, rejected in found) == (not sends, sends)


def test_nothing_of_these_releases_is_unresolved() -> None:
    """Plain data flow is enough for what the engines do today."""
    for consumer in ("sglang==0.5.23", "vllm==0.33.0"):
        assert not [call for call in report(consumer).usage.calls if call.unresolved]
