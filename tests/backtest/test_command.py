"""``driftgate backtest`` from the outside, on modules in our own words."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from driftgate.cli import main
from driftgate.paths import find_project

PROJECT = find_project(Path(__file__).parent)
SGLANG = Path(__file__).parents[1] / "fixtures" / "projects" / "sglang"
# It sends `group`, which releases take from 0.6.10.post1 on.
ROWS = f"""
[[incident]]
id = "A1"
what = "a keyword that the release does not take"
[[incident.proof]]
contract = "keyword_not_taken"
bad = {{ consumer = "sglang@{SGLANG}", upstream = "stub:v0_6_8", environment = "h100" }}
good = {{ consumer = "sglang@{SGLANG}", upstream = "stub:v0_6_12", environment = "h100" }}
about = "group"

[[control]]
id = "reexported"
what = "a class moves, and stays where it was too"
case = {{ consumer = "ours", old = "0.6.15.post1", new = "0.6.16.post4"{{change}} }}
"""


@pytest.fixture(autouse=True)
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project of its own, so that what is kept is this module's."""
    for name in ("matrix", "stubs", "pyproject.toml"):
        (tmp_path / name).symlink_to(PROJECT.root / name)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def _run(rows: str, *arguments: str) -> Result:
    Path("rows.toml").write_text(rows, encoding="utf-8")
    command = ["backtest", "--incidents", "rows.toml", *arguments]
    return CliRunner().invoke(main, command, catch_exceptions=False)


def test_an_incident_is_caught() -> None:
    """The keyword is refused by the older shape alone; the report says with which words."""
    result = _run(ROWS.replace("{change}", ""), "A1")

    assert result.exit_code == 0, result.stdout
    assert "A1: caught" in result.stdout
    assert "unexpected keyword argument 'group'" in result.stdout
    assert "caught=1" in result.stdout.splitlines()[-1]


def test_a_miss_is_told_with_what_was_seen() -> None:
    """Where the bad case is green, the incident is missed, and the exit code says so."""
    rows = ROWS.replace("{change}", "").replace("stub:v0_6_8", "stub:v0_6_13")

    result = _run(rows, "A1")

    assert result.exit_code == 1
    assert "bad  is green" in result.stdout
    assert "caught=0 by-fixture=0 missed=1" in result.stdout.splitlines()[-1]


def test_a_control_must_be_told_and_safe() -> None:
    """That the class moved is told, and nobody has to act; what did not change is not told."""
    moved = ', change = "symbol-moved TorchDistBackend"'
    result = _run(ROWS.replace("{change}", moved), "reexported")
    assert result.exit_code == 0, result.stdout
    assert "reexported: quiet" in result.stdout

    result = _run(ROWS.replace("{change}", ', change = "symbol-removed nothing"'), "reexported")
    assert result.exit_code == 1
    assert "not told" in result.stdout


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("stub:v0_6_8", "stub:v9", "unknown upstream 'stub:v9'"),
        ('"h100"', '"h10"', "unknown environment 'h10'"),
        ("keyword_not_taken", "same_decision_when_compiled", "contract in"),
    ],
)
def test_what_is_not_there_is_one_line(old: str, new: str, told: str) -> None:
    """A row that names nothing ends the run with 2."""
    if new == "same_decision_when_compiled":
        rows = ROWS.replace(old, "import_survives").replace("h100", "b200")
    else:
        rows = ROWS.replace(old, new)

    result = _run(rows.replace("{change}", ""), "A1")

    assert result.exit_code == 2
    assert told in result.stderr
    assert len(result.stderr.strip().splitlines()) == 1


def test_an_unknown_id_is_one_line() -> None:
    """Names that are like it are told."""
    result = _run(ROWS.replace("{change}", ""), "A2")

    assert result.exit_code == 2
    assert "unknown incident 'A2'" in result.stderr


@pytest.mark.parametrize(
    ("contract", "case"),
    [
        ("*", 'consumer = "file:mine/calls.py", release = "0.7.2"'),
        ("*", 'consumer = "file:mine/calls.py", old = "0.7.2", new = "0.7.4"'),
        ("python_is_admitted", 'consumer = "file:mine", python = "3.12"'),
    ],
)
def test_files_are_of_the_checkout(
    checkout: Path, monkeypatch: pytest.MonkeyPatch, contract: str, case: str
) -> None:
    """Wherever the command is run, a row's path begins at the checkout's root."""
    (checkout / "mine").mkdir()
    (checkout / "mine" / "calls.py").write_text("import flashinfer.comm\n", encoding="utf-8")
    project = '[project]\nname = "mine"\nversion = "1"\nrequires-python = ">=3.10"\n'
    (checkout / "mine" / "pyproject.toml").write_text(project, encoding="utf-8")
    (checkout / "below").mkdir()
    monkeypatch.chdir(checkout / "below")

    result = _run(
        f'[[control]]\nid = "c"\nwhat = "w"\ncontract = "{contract}"\ncase = {{ {case} }}\n',
        "c",
    )

    assert result.exit_code == 0, result.output
    assert "c: quiet" in result.stdout


@pytest.mark.parametrize(
    ("case", "told"),
    [
        ('release = "9.9.9"', "unknown release '9.9.9'"),
        ('release = "../releases"', "unknown release '../releases'"),
        ('python = "3.12"', "nothing is installed, and no consumer is named"),
        ("installed = []", "nothing is installed, and no consumer is named"),
    ],
)
def test_a_case_about_nothing_is_one_line(case: str, told: str) -> None:
    """There is no such release, or it names none: that is the row's fault, and no answer."""
    result = _run(f'[[control]]\nid = "c"\nwhat = "w"\ncase = {{ {case} }}\n')

    assert result.exit_code == 2
    assert told in result.stderr
    assert len(result.stderr.strip().splitlines()) == 1


def test_brackets_are_shown_as_they_are() -> None:
    """The table takes no words of a row for colours."""
    row = '[[incident]]\nid = "A1"\nwhat = "list[int] and [red] are kept"\nmissed = "why"\n'

    assert "list[int] and [red] are kept" in _run(row).stdout


@pytest.mark.parametrize(
    "case",
    [
        'consumer = "file:mine.py", upstream = "stub:v0_6_12", environment = "h100"',
        'consumer = "file:mine.py", release = "0.7.2"',
        'release = "file:mine"',
    ],
)
def test_rows_with_paths_need_a_checkout(
    checkout: Path, monkeypatch: pytest.MonkeyPatch, case: str
) -> None:
    """What was packaged holds the rows, and none of the files that they name."""
    monkeypatch.setattr("driftgate.paths._PACKAGED", checkout)

    result = _run(f'[[control]]\nid = "c"\nwhat = "w"\ncase = {{ {case} }}\n')

    assert result.exit_code == 2
    assert "run it in" in result.stderr
    assert len(result.stderr.strip().splitlines()) == 1
