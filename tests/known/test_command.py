"""``driftgate finding`` from the outside, on a module in our own words, with nothing run by it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from driftgate.cli import main
from driftgate.paths import find_project

PROJECT = find_project(Path(__file__).parent)
SGLANG = Path(__file__).parents[1] / "fixtures" / "projects" / "sglang"
_CONSUMER = f"sglang@{SGLANG}"


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project of its own, with the results of two runs: of compat, and of calls."""
    folder = tmp_path_factory.mktemp("checkout")
    for name in ("matrix", "stubs"):
        (folder / name).symlink_to(PROJECT.root / name)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        chosen = ("--upstream", "stub:v0_6_8", "--contract", "keyword_not_taken")
        _run("compat", "--consumer", _CONSUMER, *chosen)
        _run("calls", f"file:{SGLANG / 'flashinfer_comm_fusion.py'}", "--release", "0.6.9")
    return folder


@pytest.fixture(autouse=True)
def _in_checkout(checkout: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is in the cache: whatever is shown comes from results, and nothing is fetched."""
    monkeypatch.chdir(checkout)
    monkeypatch.setenv("DRIFTGATE_CACHE", str(tmp_path / "cache"))


def _run(*arguments: str) -> Result:
    return CliRunner().invoke(main, arguments, catch_exceptions=False)


def _listed() -> dict[str, dict[str, str]]:
    return {row["id"]: row for row in json.loads(_run("finding", "--as", "json").stdout)}


def test_findings_of_both_runs_are_listed() -> None:
    """The stand-in sends ``group``, which releases before 0.6.10.post1 do not take."""
    found = _listed()

    driven = [row for row in found.values() if row["contract"] == "keyword_not_taken"]
    bound = [row for row in found.values() if row["contract"] == "rejects"]
    assert ["'group'" in row["got"] for row in driven] == [True]
    assert [row["symbol"] for row in bound] == ["create_allreduce_fusion_workspace(group)"]
    assert {row["project"] for row in driven} == {"sglang"}
    text = _run("finding").stdout
    assert all(name in text for name in found)
    assert text.splitlines()[-1] == f"summary: findings={len(found)}"


def test_the_reports_show_the_same_ids() -> None:
    """Who reads a report can ask for any finding in it."""
    chosen = ("--upstream", "stub:v0_6_8", "--contract", "keyword_not_taken")
    report = _run("compat", "--consumer", _CONSUMER, *chosen).stdout
    calls = _run("calls", f"file:{SGLANG / 'flashinfer_comm_fusion.py'}", "--release", "0.6.9")

    (driven,) = (name for name in _listed() if name.startswith("keyword_not_taken"))
    (bound,) = (name for name in _listed() if name.startswith("rejects"))
    assert f"[{driven}]" in report
    assert f"[{bound}]" in calls.stdout


def test_one_is_shown_with_its_place_and_the_command_that_shows_it_again() -> None:
    (name,) = (name for name in _listed() if name.startswith("keyword_not_taken"))

    shown = _run("finding", name)

    assert shown.exit_code == 0
    assert "flashinfer_comm_fusion.py:" in shown.stdout
    assert shown.stdout.splitlines()[-1] == (
        f"again: driftgate compat --consumer {_CONSUMER} --upstream stub:v0_6_8 "
        "--contract keyword_not_taken"
    )


def test_an_issue_says_where_what_and_how() -> None:
    """Everything that a maintainer of the project asks for first."""
    (name,) = (name for name in _listed() if name.startswith("keyword_not_taken"))

    page = _run("finding", name, "--as", "issue").stdout

    assert page.startswith("# sglang@")
    for part in (
        f"`{name}`",
        "`create_allreduce_fusion_workspace`",
        "got create_allreduce_fusion_workspace() got an unexpected keyword argument 'group'",
        "$ driftgate compat --consumer ",
        "## Suggestion",
    ):
        assert part in page


def test_an_unknown_id_is_one_line_and_exit_2() -> None:
    result = _run("finding", "keyword_not_taken-zzzz")

    assert result.exit_code == 2
    assert result.stderr.startswith("driftgate: unknown finding 'keyword_not_taken-zzzz'; ")
    assert "keyword_not_taken-" in result.stderr.partition(";")[2]
    assert result.stderr.count("\n") == 1


def test_an_issue_needs_an_id() -> None:
    assert _run("finding", "--as", "issue").exit_code == 2
