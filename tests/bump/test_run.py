"""A verdict, and a search, with the contracts run on stubs."""

from __future__ import annotations

from pathlib import Path

import pytest

from driftgate.bump.bisect import Outcome
from driftgate.bump.model import Line, Verdict
from driftgate.bump.staging import staged
from driftgate.bump.steps import Order, find_verdict
from driftgate.bump.trial import Trier
from driftgate.consumers import find_consumer
from driftgate.index.settings import read_settings
from driftgate.paths import Project, find_project

PROJECT = find_project(Path(__file__).parent)
FIXTURES = Path(__file__).parents[1] / "fixtures" / "consumers"
SILENT = f"file:{FIXTURES / 'never_sends_trigger.py'}"


@pytest.fixture(scope="module")
def lines(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Line]:
    """From 0.6.7.post3 to 0.6.9, for a consumer that never says when to trigger completion."""
    project = Project(PROJECT.root, tmp_path_factory.mktemp("results"))
    order = Order("0.6.9", "0.6.7.post3", SILENT, workers=2)
    with staged(project) as stage, pytest.MonkeyPatch.context() as patch:
        # No index, and no release in the store: only stubs are run.
        patch.setenv("DRIFTGATE_CACHE", str(tmp_path_factory.mktemp("cache")))
        patch.setenv("PIP_CONFIG_FILE", "/dev/null")
        patch.setenv("PIP_NO_INDEX", "1")
        patch.setenv("PIP_FIND_LINKS", str(tmp_path_factory.mktemp("links")))
        report = find_verdict(order, stage.copy, read_settings())
    assert report.ran == ("stub:v0_6_7", "stub:v0_6_8")
    [note] = report.notes
    assert note.startswith("the releases themselves were not run: flashinfer-python 0.6.7.post3")
    return {f"{line.kind} {line.symbol}": line for line in report.lines}


def test_broken_contract_with_its_release(lines: dict[str, Line]) -> None:
    """0.6.8 made the trigger a parameter of its own, whose default is another than it was."""
    line = lines["trigger_sent allreduce_fusion"]

    assert (line.verdict, line.since, line.seen) == (Verdict.CHANGE, "0.6.8", ("stub",))
    assert "never_sends_trigger.py:" in line.sites[0]


def test_same_call_site_in_text_and_run(lines: dict[str, Line]) -> None:
    """What the text shows and what the run shows are one call, told once."""
    line = lines["param-inserted allreduce_fusion"]

    assert line.verdict is Verdict.SAFE_BY_KEYWORD
    assert all("never_sends_trigger.py:" in site for site in line.sites)


def test_trial_on_either_side(tmp_path: Path) -> None:
    """The stub of the release before keeps the contract, the one after breaks it."""
    trier = Trier(Project(PROJECT.root, tmp_path), find_consumer(SILENT), "trigger_sent", 1)

    assert trier.on("0.6.7", "stub:v0_6_7").outcome is not Outcome.BROKEN
    assert trier.on("0.6.8", "stub:v0_6_8").outcome is Outcome.BROKEN


def test_trial_where_fusion_is_off(tmp_path: Path) -> None:
    """Before the unified API there is nothing to judge."""
    trier = Trier(Project(PROJECT.root, tmp_path), find_consumer(SILENT), "trigger_sent", 1)

    assert trier.on("0.5.3", "stub:v0_5_0").outcome is Outcome.SILENT
