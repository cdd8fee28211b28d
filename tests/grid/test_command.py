"""``driftgate grid`` from the outside, on modules in our own words."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from driftgate.cli import main
from driftgate.paths import find_project

PROJECT = find_project(Path(__file__).parent)
SGLANG = Path(__file__).parents[1] / "fixtures" / "projects" / "sglang"
_ONE = ("--consumer", f"sglang@{SGLANG}", "--upstream", "0.6.9", "--upstream", "0.6.12")


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project of its own, so that kept verdicts are this module's."""
    folder = tmp_path_factory.mktemp("checkout")
    for name in ("matrix", "stubs"):
        (folder / name).symlink_to(PROJECT.root / name)
    return folder


@pytest.fixture(autouse=True)
def _in_checkout(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(checkout)


def _run(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["grid", *arguments], catch_exceptions=False)


def test_a_consumer_is_shown_on_each_release() -> None:
    """It sends group, which 0.6.9 does not take: it works on 0.6.12 alone, and exit is 1."""
    result = _run(*_ONE, "--json")

    document = json.loads(result.stdout.rpartition("summary:")[0])
    assert result.exit_code == 1
    (row,) = document[0]["works"]
    assert row["ranges"]["h100"] == "0.6.12"
    defects = {defect["contract"]: defect["extents"] for defect in document[0]["defects"]}
    assert defects["keyword_not_taken"][0]["releases"] == "0.6.9"
    assert "'group'" in defects["keyword_not_taken"][0]["finding"]["got"]


def test_nothing_that_is_kept_is_driven_again() -> None:
    """Equal bytes have an equal result: the second run drives no cell, and shows the same."""
    first = _run(*_ONE)
    second = _run(*_ONE)

    assert "reused=2 cells=0" in second.stdout
    assert first.stdout.rpartition("summary:")[0] == second.stdout.rpartition("summary:")[0]


def test_the_static_tier_imports_nothing() -> None:
    """The same keyword, found by reading."""
    result = _run(*_ONE, "--tier", "static")

    assert "create_allreduce_fusion_workspace: rejects group" in result.stdout
    assert "cells=0" in result.stdout


def test_every_line_fits_120_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    """A terminal at midnight."""
    monkeypatch.setenv("COLUMNS", "120")

    assert max(map(len, _run(*_ONE).stdout.splitlines()[:-1])) <= 120


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--upstream", "9.9"), "unknown release or range '9.9'"),
        (("--upstream", ">=9"), "unknown release or range '>=9'"),
        (("--consumer", "theirs"), "unknown consumer 'theirs'"),
        (("--consumer", "sglang@nowhere"), "holds no flashinfer_comm_fusion.py"),
        (("--tier", "gpu"), "'gpu' is none of static, stub, wheel"),
    ],
)
def test_bad_input_is_one_line_and_exit_2(arguments: tuple[str, ...], message: str) -> None:
    """What was asked for, and what there is."""
    result = _run("--consumer", f"sglang@{SGLANG}", *arguments)

    assert result.exit_code == 2
    assert message in result.stderr
