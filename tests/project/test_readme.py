"""The README's commands are the ones that CI runs."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def commands() -> list[str]:
    """Shell lines of the README that start a nox session on a fresh machine."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    return [line for line in text.splitlines() if line.startswith("python3 -m venv")]


def test_readme_gives_two_commands() -> None:
    """One line runs the gate and one runs the tests, each with all its set-up."""
    sessions = [re.findall(r"nox -s (\w+)", line) for line in commands()]

    assert sessions == [["compat"], ["tests"]]


def test_ci_calls_the_readme_test_command() -> None:
    """A README that CI does not run goes stale."""
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8").splitlines()

    assert commands()[1] in script
