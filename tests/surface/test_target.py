from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from driftgate.errors import InvalidDataError
from driftgate.surface.target import load_target

if TYPE_CHECKING:
    from pathlib import Path

HEAD = 'project = "p"\npackage = "p"\nfirst_release = "1"\n'
ROW = '[[watched]]\nid = "p.m:f"\nconsumers = ["ours"]\nwhy = "a test"\n'


def test_a_row_names_a_module_and_a_symbol_in_it(tmp_path: Path) -> None:
    """The part after the colon is the name; without a colon a module is watched."""
    file = tmp_path / "target.toml"
    file.write_text(HEAD + ROW + ROW.replace("p.m:f", "p.m"))

    assert [(row.module, row.name) for row in load_target(file).watched] == [
        ("p.m", "f"),
        ("p.m", ""),
    ]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (HEAD, "lacks 'watched'"),
        (ROW, "lacks 'project'"),
        (HEAD + '[[watched]]\nid = "p"\nwhy = "x"', "lacks 'consumers'"),
        (HEAD + ROW + ROW, "watches p.m:f twice"),
    ],
)
def test_a_bad_target_is_one_clear_error(tmp_path: Path, text: str, problem: str) -> None:
    """The error names the file and what is missing."""
    file = tmp_path / "target.toml"
    file.write_text(text)

    with pytest.raises(InvalidDataError, match=problem):
        load_target(file)
