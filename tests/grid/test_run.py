"""What a grid keeps of what it drove."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import driftgate.grid.run
from driftgate.cells import Tier
from driftgate.consumers import OURS, find_consumer
from driftgate.drive.job import Release
from driftgate.grid.rules import load_grid_rules
from driftgate.grid.run import GridRun, Meeting
from driftgate.paths import find_project
from driftgate.trace import Step, Trace
from driftgate.upstreams import Upstream
from driftgate.zygotes import Driven

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

PROJECT = find_project(Path(__file__).parent)
RELEASE = Upstream("wheel:1.0", Tier.WHEEL, release=Release("1.0", str(PROJECT.root / "none.toml")))
MEETING = Meeting(find_consumer(OURS), RELEASE, is_pinned=False)


@pytest.mark.parametrize(("refused", "driven"), [("", 1), ("ImportError: no libcudart", 2)])
def test_a_refused_import_is_tried_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, refused: str, driven: int
) -> None:
    """That a release cannot be imported may be this machine's doing, so it is not kept."""
    facts = {"signatures": {}, "cached": [], "refused": refused, "standins": []}
    trace = Trace((Step("upstream", value=facts),))

    def drive(jobs: Sequence[tuple[Any, Any]], _workers: int) -> Iterator[tuple[Any, Driven]]:
        for tag, job in jobs:
            for environment in job.environments:
                yield tag, Driven(environment, trace, "", 0.0)

    monkeypatch.setattr(driftgate.grid.run, "drive_all", drive)
    project = replace(PROJECT, results=tmp_path)
    runs = [GridRun(project, load_grid_rules(PROJECT.matrix), workers=1) for _ in range(2)]

    for run in runs:
        run.verdicts([MEETING], lambda _: None)

    assert sum(run.driven for run in runs) == driven
