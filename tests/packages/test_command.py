"""The command: what it prints, and what it exits with."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner, Result

from driftgate.cli import main
from driftgate.wheels.store import CACHE_VARIABLE

if TYPE_CHECKING:
    from pathlib import Path

PYTHON, CUBIN = "flashinfer-python==0.6.14", "flashinfer-cubin==0.6.13"


@pytest.fixture
def offline(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No index, and an empty cache."""
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path))
    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path / "cache"))


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["packages", *arguments])


@pytest.mark.usefixtures("offline")
def test_a_mismatch_needs_no_index() -> None:
    """What, where, what to do, and a summary for machines at the end."""
    done = run(PYTHON, CUBIN, "--variable", "FLASHINFER_DISABLE_VERSION_CHECK=1")

    assert done.exit_code == 1
    assert "companions_match: " in done.output
    assert "do: install flashinfer-cubin==0.6.14" in done.output
    assert "FLASHINFER_DISABLE_VERSION_CHECK=1 switches it off" in done.output
    last = done.output.splitlines()[-1]
    assert last.startswith("summary: rules=")
    assert " fail=2 " in last


@pytest.mark.usefixtures("offline")
def test_what_belongs_together_exits_well() -> None:
    """A build of the same version, and nothing else."""
    done = run(PYTHON, "flashinfer-jit-cache==0.6.14+cu130")

    assert done.exit_code == 0, done.output
    assert " fail=0 " in done.output.splitlines()[-1]


@pytest.mark.usefixtures("offline")
def test_json_is_every_verdict() -> None:
    """With what is wrong as values."""
    verdicts = {row["rule"]: row for row in json.loads(run(PYTHON, CUBIN, "--json").output)}

    (breach,) = verdicts["companions_match"]["breaches"]
    assert breach["subject"] == "flashinfer-cubin 0.6.13"
    assert verdicts["check_stays_on"] == {
        "rule": "check_stays_on",
        "risk": False,
        "breaches": [],
        "untold": "",
    }


@pytest.mark.usefixtures("offline")
@pytest.mark.parametrize(
    "arguments",
    [
        ("flashinfer-python=0.6",),
        ("flashinfer-python>=0.6",),
        ("a==1", "a==2"),
        ("a==1", "--python", "py3"),
        ("a==1", "--consumer", "nobody==1.0"),
        ("a==1", "--consumer", "sglang"),
        ("a==1", "--consumer", "file:nowhere"),
        ("a==1", "--variable", "X"),
        ("--site", "nowhere"),
        ("a==1", "--installed"),
        (),
    ],
)
def test_bad_input_is_told_in_one_line(arguments: tuple[str, ...]) -> None:
    """And exits with 2."""
    done = run(*arguments)
    said = [
        line for line in done.output.splitlines() if line and not line.startswith(("Usage", "Try"))
    ]

    assert done.exit_code == 2
    assert len(said) == 1


@pytest.mark.usefixtures("offline")
def test_what_is_no_file_of_a_project_is_passed_over(tmp_path: Path) -> None:
    """A link to nowhere says nothing, and a pipe would be read for ever."""
    (tmp_path / "Dockerfile").symlink_to(tmp_path / "nowhere")
    os.mkfifo(tmp_path / "requirements.txt")
    text = '[project]\nname = "mine"\nversion = "1"\nrequires-python = ">=3.10"\n'
    (tmp_path / "pyproject.toml").write_text(text, encoding="utf-8")

    done = run("--consumer", f"file:{tmp_path}", "--python", "3.12")

    assert done.exit_code == 0, done.output
