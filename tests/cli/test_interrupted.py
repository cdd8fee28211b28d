"""Runs that cannot write what they find, or that someone ends."""

from __future__ import annotations

import json
import signal
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner, Result

from driftgate.cells import Cell, Tier
from driftgate.cli import main
from driftgate.compat import Run
from driftgate.errors import ResultsUnwritableError
from driftgate.findings import ContractResult, State
from driftgate.grid.verdicts import PairVerdicts, VerdictStore
from driftgate.paths import find_project
from driftgate.results import ResultFile
from driftgate.trace import Trace
from driftgate.traces import TraceStore

if TYPE_CHECKING:
    from collections.abc import Iterator

PROJECT = find_project(Path(__file__).parent)
ROW = ContractResult(Cell("ours", "absent", Tier.STUB, "h100"), "import_survives", State.PASS)


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("stubs", "matrix"):
        (tmp_path / name).symlink_to(PROJECT.root / name)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def _compat() -> Result:
    arguments = ["compat", "--upstream", "absent", "--contract", "import_survives", "-n", "1"]
    return CliRunner().invoke(main, arguments, catch_exceptions=False)


@pytest.mark.parametrize("kind", ["file", "dangling link"])
def test_results_that_cannot_be_written_are_one_line(checkout: Path, kind: str) -> None:
    """Before anything is driven."""
    place = checkout / ".driftgate"
    if kind == "file":
        place.touch()
    else:
        place.symlink_to(checkout / "nowhere")

    result = _compat()

    assert result.exit_code == 2
    assert result.stderr.startswith(f"driftgate: {place}/results: results cannot be written (")
    assert result.stderr.count("\n") == 1


def test_a_full_disk_is_told(tmp_path: Path) -> None:
    """``/dev/full`` takes nothing: what a row's flush meets on a full disk."""
    with ResultFile(tmp_path) as file:
        file._file.close()
        file._file = Path("/dev/full").open("w", encoding="utf-8")  # noqa: SIM115
        with pytest.raises(ResultsUnwritableError, match="no space left on device"):
            file.write(ROW)


def test_traces_that_cannot_be_kept_are_told_once(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """They only save time: the run goes on. So do a grid's verdicts."""
    for name in ("traces", "verdicts"):
        (tmp_path / name).touch()

    for key in ("a", "b"):
        TraceStore(tmp_path / "traces").put(key, Trace(()))
        VerdictStore(tmp_path / "verdicts").put(key, PairVerdicts.of(()))

    told = [record.getMessage() for record in caplog.records]
    assert len(told) == 2
    assert str(tmp_path / "traces") in told[0]
    assert str(tmp_path / "verdicts") in told[1]


def test_traces_of_two_runs_do_not_meet(tmp_path: Path) -> None:
    """What another run has not finished yet is left alone."""
    (tmp_path / "a.part").mkdir()
    store = TraceStore(tmp_path)

    store.put("a", Trace(()))

    assert store.get("a") == Trace(())


def test_an_interrupted_run_says_where_its_results_are(
    checkout: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """130 is what a shell gives a process that SIGINT ended."""

    def results(_: Run) -> Iterator[ContractResult]:
        yield ROW
        raise KeyboardInterrupt

    monkeypatch.setattr(Run, "results", results)
    result = _compat()

    (path,) = (checkout / ".driftgate" / "results").iterdir()
    assert result.exit_code == 130
    assert result.stderr == f"driftgate: interrupted; results so far: {path}\n"
    assert [json.loads(row)["contract"] for row in path.read_text().splitlines()] == [
        "import_survives"
    ]


def test_an_interrupt_without_results_is_told_too(
    checkout: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("driftgate.commands.compat.make_plan", interrupted)
    result = _compat()

    assert (result.exit_code, result.stderr) == (130, "driftgate: interrupted\n")
    assert not (checkout / ".driftgate").exists()


def test_what_ends_a_command_ends_no_more_than_that(checkout: Path) -> None:
    """Who calls the command from Python has its own way to be ended back."""
    before = signal.signal(signal.SIGTERM, signal.SIG_IGN)
    try:
        assert _compat().exit_code == 0
        assert signal.getsignal(signal.SIGTERM) == signal.SIG_IGN
    finally:
        signal.signal(signal.SIGTERM, before)
