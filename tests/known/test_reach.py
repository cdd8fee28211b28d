"""How far a finding reaches, from verdicts that were kept by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from driftgate.cells import Tier
from driftgate.consumers import Consumer
from driftgate.drive.job import Adapter
from driftgate.findings import Finding, finding_id
from driftgate.grid.rules import load_grid_rules
from driftgate.grid.run import GridRun, meetings_of
from driftgate.grid.selection import Line, stand_ins_for
from driftgate.grid.verdicts import Broken, PairVerdicts, VerdictStore
from driftgate.known import reach as reach_module
from driftgate.known.reach import KeptGrid
from driftgate.paths import Project, find_project

ROOT = find_project(Path(__file__).parent).root
SENT = Finding("keyword_not_taken", "taken", "'group'", "create", "engine/comm.py:7")
OTHER = Finding("keyword_not_taken", "taken", "'bias'", "allreduce_fusion", "engine/comm.py:9")
RELEASES = ("0.6.9", "0.6.12", "0.7.4")


def _consumer(release: str, module: str) -> Consumer:
    path = Path(__file__).with_name(module)
    adapter = Adapter("engine", ((path.name, str(path)),), {}, {}, {})
    return Consumer(f"engine=={release}", "engine", path, adapter, "0.6.12")


# Three releases that ship different modules.
LINE = Line(
    "engine",
    (
        _consumer("1.0", "test_ids.py"),
        _consumer("1.1", "test_runs.py"),
        _consumer("1.2", "test_reach.py"),
    ),
)


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    """A project whose grid is three releases of one engine on three of FlashInfer."""
    for name in ("matrix", "stubs"):
        (tmp_path / name).symlink_to(ROOT / name)
    monkeypatch.setattr(reach_module, "fetched_lines", lambda *_: [LINE])
    monkeypatch.setattr(reach_module, "select_releases", lambda *_: list(RELEASES))
    return Project(tmp_path, tmp_path / ".driftgate")


def _keep(project: Project, broken: dict[tuple[str, str], tuple[Finding, ...]]) -> None:
    """Keep verdicts as a grid does: for every pair, with what ``broken`` says of it."""
    run = GridRun(project, load_grid_rules(project.matrix), workers=1)
    store = VerdictStore(project.results / "grid")
    for meeting in meetings_of(LINE, stand_ins_for(RELEASES, Tier.STUB, project)):
        found = broken.get((meeting.consumer.name, meeting.upstream.name))
        if found is not None:
            rows = tuple(Broken(each.contract, "h100", each) for each in found)
            store.put(run.key(meeting), PairVerdicts({}, rows, {"h100": "active"}, {}))


def _all(*broken: tuple[str, str, Finding]) -> dict[tuple[str, str], tuple[Finding, ...]]:
    found: dict[tuple[str, str], tuple[Finding, ...]] = {
        (consumer.name, upstream): ()
        for consumer in LINE.consumers
        for upstream in ("stub:v0_6_8", "stub:v0_6_12", "stub:v0_7_4")
    }
    for release, upstream, finding in broken:
        found[f"engine=={release}", upstream] = (finding,)
    return found


def test_where_it_begins_and_ends(project: Project) -> None:
    """Broken in 1.1 on 0.6.9 alone: first bad 1.1, first good 1.2."""
    _keep(project, _all(("1.1", "stub:v0_6_8", SENT)))

    reach = KeptGrid(project).reach(finding_id("engine", SENT))

    assert reach is not None
    assert (reach.defect.first_bad, reach.defect.first_good) == ("1.1", "1.2")
    assert [(each.consumers, each.releases) for each in reach.defect.extents] == [("1.1", "0.6.9")]


def test_another_finding_of_the_same_contract_is_another_story(project: Project) -> None:
    """The ranges of a contract are those of all its findings; these are one finding's."""
    _keep(project, _all(("1.0", "stub:v0_7_4", OTHER), ("1.2", "stub:v0_6_8", SENT)))

    reach = KeptGrid(project).reach(finding_id("engine", SENT))

    assert reach is not None
    assert (reach.defect.first_bad, reach.defect.first_good) == ("1.2", "")


def test_a_release_that_was_looked_at_in_part_is_left_out(project: Project) -> None:
    """It would look good on what it was never run against."""
    kept = _all(("1.0", "stub:v0_6_8", SENT))
    del kept["engine==1.1", "stub:v0_7_4"]
    _keep(project, kept)

    reach = KeptGrid(project).reach(finding_id("engine", SENT))

    assert reach is not None
    assert (reach.consumers, reach.defect.first_good) == (2, "1.2")


def test_nothing_kept_is_nothing_known(project: Project) -> None:
    grid = KeptGrid(project)

    assert grid.seen() == {}
    assert grid.reach(finding_id("engine", SENT)) is None
