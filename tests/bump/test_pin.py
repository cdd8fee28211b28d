"""The project's own pin in ``pyproject.toml``."""

from __future__ import annotations

from pathlib import Path

import pytest

from driftgate.bump.pin import NoPinError, admitted_pythons, move_pin, read_pin
from driftgate.errors import InvalidDataError

TEXT = """\
[project]
requires-python = ">=3.10"

[tool.driftgate]
# why it is there
flashinfer = "1.2"  # and this
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "pyproject.toml").write_text(TEXT)
    return tmp_path


def test_read_and_moved(root: Path) -> None:
    """Only the release changes; comments stay."""
    move_pin(root, "1.3")

    assert read_pin(root) == "1.3"
    assert (root / "pyproject.toml").read_text() == TEXT.replace('"1.2"', '"1.3"')


def test_pythons(root: Path) -> None:
    """What the project admits is read beside it."""
    assert admitted_pythons(root) == ">=3.10"


def test_no_pin(tmp_path: Path) -> None:
    """Without a pin the maintainer has to say."""
    with pytest.raises(NoPinError, match="--from"):
        read_pin(tmp_path)


def test_pin_that_is_no_version(root: Path) -> None:
    """One line, with the file."""
    (root / "pyproject.toml").write_text('[tool.driftgate]\nflashinfer = "newest"\n')

    with pytest.raises(InvalidDataError, match="no version"):
        read_pin(root)


def test_our_own_pin_is_recorded() -> None:
    """The checkout's pin is a release that verdicts can start from."""
    root = Path(__file__).parents[2]

    assert (root / "matrix" / "surfaces" / f"{read_pin(root)}.json").is_file()
