from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from driftgate.errors import InvalidDataError
from driftgate.released.rows import load_consumer_rows

MATRIX = Path(__file__).parents[2] / "matrix"


def test_the_rows_that_are_there() -> None:
    """Pins as the wheels' own metadata has them."""
    rows = load_consumer_rows(MATRIX)

    assert list(rows) == ["sglang-norm", "sglang", "vllm"]
    assert rows["sglang"].pins["0.5.15"] == "0.6.12"
    assert rows["vllm"].pins["0.33.0"] == "0.7.2.post1"
    assert "flashinfer_all_reduce.py" in rows["vllm"].files


def test_a_row_takes_over_what_it_does_not_say_itself() -> None:
    """The norm layer is run over all that its fusion module is run over, and a little more."""
    rows = load_consumer_rows(MATRIX)
    norm, whole = rows["sglang-norm"], rows["sglang"]

    assert norm.distribution == whole.distribution
    assert norm.files != whole.files
    assert norm.adapter is not None
    assert whole.adapter is not None
    assert norm.adapter.standins.items() > whole.adapter.standins.items()
    assert norm.adapter.operations == {**whole.adapter.operations, "norm": "RMSNorm"}


@pytest.mark.parametrize(
    ("file", "text", "problem"),
    [
        ("sglang-norm.toml", 'like = "sgl"\n', "is like 'sgl', which is no row"),
        ("sglang.toml", 'distribution = "sglang"\n', "lacks 'files'"),
        (
            "sglang.toml",
            'distribution = "sglang"\nfiles = []\ndriver = "sglang"\noperations = "all"\n',
            "lacks a table of names",
        ),
        ("pins.toml", '[sglang]\n"0.5.1" = { torch = "2.8.0" }\n', "no pin"),
        ("pins.toml", '[sglang]\n"0.5.1" = { flashinfer = "newest" }\n', "no pin"),
        ("vllm.toml", "distribution =\n", "not TOML"),
    ],
)
def test_a_damaged_row_is_one_clear_error(
    tmp_path: Path, file: str, text: str, problem: str
) -> None:
    """Which file and what is wrong, in one line."""
    shutil.copytree(MATRIX / "consumers", tmp_path / "consumers")
    (tmp_path / "consumers" / file).write_text(text)

    with pytest.raises(InvalidDataError, match=problem) as caught:
        load_consumer_rows(tmp_path)

    assert file in str(caught.value)
    assert "\n" not in str(caught.value)
