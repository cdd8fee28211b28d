"""Suggestions are for contracts that there are."""

from __future__ import annotations

from pathlib import Path

import pytest

from driftgate.contracts import all_rules, rank_rules
from driftgate.errors import InvalidDataError
from driftgate.known.suggestions import read_refs, read_suggestions
from driftgate.paths import find_project


def test_every_row_is_about_a_contract() -> None:
    """A row for a contract that was renamed would never be shown."""
    rows = read_suggestions(find_project(Path(__file__).parent).matrix / "suggestions.toml")

    assert set(rows) <= {*all_rules(), *rank_rules()}


def test_a_row_that_is_no_text_is_told(tmp_path: Path) -> None:
    file = tmp_path / "suggestions.toml"
    file.write_text("group_sent = 3\n", encoding="utf-8")

    with pytest.raises(InvalidDataError, match="group_sent is no text"):
        read_suggestions(file)


def test_public_reports_are_read_by_incident(tmp_path: Path) -> None:
    file = tmp_path / "incidents.toml"
    file.write_text('[[incident]]\nid = "I1"\nrefs = ["vllm#7"]\n[[incident]]\nid = "I2"\n')

    assert read_refs(file) == {"I1": ("vllm#7",), "I2": ()}
