"""``driftgate compat`` from the outside: exit codes, selection, results on disk."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from driftgate.cli import main
from driftgate.paths import find_project

PROJECT = find_project(Path(__file__).parent)
CONSUMERS = Path(__file__).parents[1] / "fixtures" / "consumers"
_ONE = ("--upstream", "stub:v0_7_4", "--contract", "no_retry_after_failure", "-n", "1")


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project of its own, so that results and expectations are this module's."""
    folder = tmp_path_factory.mktemp("checkout")
    (folder / "stubs").symlink_to(PROJECT.stubs)
    (folder / "matrix").mkdir()
    (folder / "matrix" / "consumers").symlink_to(PROJECT.matrix / "consumers")
    for name in ("environments.toml", "target.toml", "expectations.toml"):
        shutil.copy(PROJECT.matrix / name, folder / "matrix")
    return folder


@pytest.fixture
def in_checkout(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(checkout)
    return checkout


def _run(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["compat", *arguments], catch_exceptions=False)


def _summary(result: Result) -> dict[str, str]:
    line = result.stdout.strip().rsplit("\n", 1)[-1]
    assert line.startswith("summary: ")
    return dict(part.split("=") for part in line.removeprefix("summary: ").split())


def _file(name: str) -> tuple[str, str]:
    return "--consumer", f"file:{CONSUMERS / name}.py"


def test_a_good_consumer_exits_with_0(in_checkout: Path) -> None:
    """All as expected: exit 0, and a summary that says so."""
    result = _run(*_file("plain"), *_ONE)

    assert result.exit_code == 0
    assert _summary(result).items() >= {"cells": "1", "pass": "1", "fail": "0"}.items()


def test_a_bad_consumer_exits_with_1(in_checkout: Path) -> None:
    """A finding is told by contract, symbol, call site and incident."""
    result = _run(*_file("retries_creation"), *_ONE)

    assert result.exit_code == 1
    assert _summary(result)["fail"] == "1"
    for part in (
        "no_retry_after_failure:",
        "create_allreduce_fusion_workspace at ",
        "reference.py:",
        "I73",
        "expected one attempt, got attempt 2",
    ):
        assert part in result.stdout


def test_a_second_run_judges_the_kept_trace(in_checkout: Path) -> None:
    """Same bytes, same trace: nothing is driven again unless asked for."""
    _run(*_file("plain"), *_ONE)

    assert "(1 cells from kept traces)" in _run(*_file("plain"), *_ONE).stdout
    assert "(0 cells from kept traces)" in _run(*_file("plain"), *_ONE, "--fresh").stdout


def test_results_are_on_disk(in_checkout: Path) -> None:
    """Each verdict is a row of the file that the report names."""
    result = _run(*_file("retries_creation"), *_ONE)
    (line,) = (line for line in result.stdout.split("\n") if line.startswith("results: "))
    rows = [json.loads(row) for row in Path(line.split()[1]).read_text().splitlines()]

    assert [(row["contract"], row["state"]) for row in rows] == [("no_retry_after_failure", "fail")]


def test_a_narrow_terminal_folds_no_path(
    in_checkout: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A line that names a file stays one, so that it can be copied and read by tools."""
    monkeypatch.setenv("COLUMNS", "40")

    result = _run(*_file("retries_creation"), *_ONE)

    (line,) = (line for line in result.stdout.split("\n") if line.startswith("results: "))
    assert Path(line.split()[1]).is_file()


def test_rows_can_be_printed(in_checkout: Path) -> None:
    """``--json`` prints the rows, and the summary still comes last."""
    result = _run(*_file("plain"), *_ONE, "--json")

    assert json.loads(result.stdout.split("\n")[0])["upstream"] == "stub:v0_7_4"
    assert _summary(result).items() >= {"pass": "1"}.items()


def test_list_runs_nothing(in_checkout: Path) -> None:
    """``--list`` names each cell and what would be judged there."""
    result = _run("--list", "--upstream", "absent", "--contract", "import_survives")

    assert result.stdout == "ours x absent x stub x h100: import_survives\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--upstream", "stub:v9"), "unknown upstream 'stub:v9'"),
        (("--contract", "no_such"), "unknown contract 'no_such'"),
        (("--consumer", "theirs"), "unknown consumer 'theirs'"),
        (("--consumer", "file:nowhere.py"), "no such consumer file"),
        (("--upstream", "absent", "--contract", "kernel_failure_surfaces"), "nothing to run"),
    ],
)
def test_bad_input_is_one_line_and_exit_2(
    in_checkout: Path, arguments: tuple[str, ...], message: str
) -> None:
    """A name that names nothing says so; no traceback, no run."""
    result = _run(*arguments)

    assert result.exit_code == 2
    assert message in result.stderr
    assert result.stderr.count("\n") == 1


def _expect(checkout: Path, **changes: str) -> None:
    row = {
        "contract": '"no_retry_after_failure"',
        "consumer": '"file:*"',
        "upstream": '"stub:v0_7_*"',
        "reason": '"known"',
        "link": '"https://example.org/1"',
        "expires": "2999-01-01",
        **changes,
    }
    lines = [f"{key} = {value}" for key, value in row.items() if value]
    text = "[[expect]]\n" + "\n".join(lines) + "\n"
    (checkout / "matrix" / "expectations.toml").write_text(text)


def test_a_known_finding_is_expected(in_checkout: Path) -> None:
    """A row turns a failure into an xfail, and the exit code into 0."""
    _expect(in_checkout)
    result = _run(*_file("retries_creation"), *_ONE)

    assert (result.exit_code, _summary(result)["xfail"]) == (0, "1")


def test_a_row_by_releases_covers_their_stub(in_checkout: Path) -> None:
    """A historic stub is covered by the releases that it stands for."""
    _expect(in_checkout, upstream="", releases='">=0.7.4,<0.7.5"')

    assert _run(*_file("retries_creation"), *_ONE).exit_code == 0


def test_a_kept_contract_with_a_row_is_an_error(in_checkout: Path) -> None:
    """A row that is no longer needed must go."""
    _expect(in_checkout)
    result = _run(*_file("plain"), *_ONE)

    assert (result.exit_code, _summary(result)["error"]) == (1, "1")
    assert "drop the row" in result.stdout


def test_an_expired_row_counts_no_more(in_checkout: Path) -> None:
    """Past its day a row is an error, and the finding a failure again."""
    _expect(in_checkout, expires="2020-01-01")
    result = _run(*_file("retries_creation"), *_ONE)

    assert (result.exit_code, _summary(result)["fail"]) == (1, "1")
    assert "expired on 2020-01-01" in result.stdout


def test_a_row_that_matches_nothing_is_an_error(in_checkout: Path) -> None:
    """A row for an upstream that is not there hides nothing and helps nobody."""
    _expect(in_checkout, upstream='"stub:v9"')
    result = _run(*_file("plain"), *_ONE)

    assert result.exit_code == 1
    assert "expectation matches nothing" in result.stdout


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"link": ""}, "lacks 'link'"),
        ({"contract": '"no_such"'}, "no contract is named 'no_such'"),
        ({"releases": '">=1"'}, "needs upstream or releases"),
        ({"upstream": "", "releases": '"newer"'}, "'newer' is no range"),
        ({"expires": '"soon"'}, "expires is no date"),
        ({"colour": '"red"'}, "unknown key 'colour'"),
    ],
)
def test_a_broken_row_is_bad_input(
    in_checkout: Path, changes: dict[str, str], message: str
) -> None:
    """A row that cannot be used is exit 2 and one line."""
    _expect(in_checkout, **changes)
    result = _run(*_file("plain"), *_ONE)

    assert result.exit_code == 2
    assert message in result.stderr
