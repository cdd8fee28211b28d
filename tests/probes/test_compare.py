"""Records are compared part by part; rows allow what is known, and are wrong once it is gone."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from packaging.specifiers import SpecifierSet

from driftgate.errors import InvalidDataError
from driftgate.probes.compare import (
    Allowance,
    Difference,
    compare_records,
    compare_summaries,
    read_allowances,
)
from driftgate.probes.subject import Answers

if TYPE_CHECKING:
    from pathlib import Path

ROW = '[[difference]]\nprobe = "create.*"\nreleases = ">=0.6,<0.7"\nreason = "known"\n'


def test_only_the_parts_that_differ_are_told() -> None:
    stub = Answers("stub:v", records={"a": {"outcome": "ok", "left": 0}, "b": {"outcome": "ok"}})
    wheel = Answers("wheel:1", records={"a": {"outcome": "ok", "left": 3}, "b": {"outcome": "ok"}})

    assert compare_records(stub, wheel) == {"a": {"left": (0, 3)}}


def test_a_part_that_one_side_lacks_differs() -> None:
    stub = Answers("stub:v", records={"a": {"outcome": "TypeError"}})
    wheel = Answers("wheel:1", records={"a": {"outcome": "TypeError", "value": None, "live": 1}})

    assert compare_records(stub, wheel) == {"a": {"live": (None, 1)}}


def test_a_block_that_one_side_lacks_differs() -> None:
    stub = Answers("stub:v", summaries=({"digest": "1"}, {"digest": "2"}))
    wheel = Answers("wheel:1", summaries=({"digest": "1"},))

    assert compare_summaries(stub, wheel) == [1]


def test_a_difference_is_readable() -> None:
    """Release, stub and probe first, then both sides of each part."""
    difference = Difference("0.7.4", "v0_7_4", "destroy.trtllm", {"left": (0, 3)})

    assert list(difference.lines()) == [
        "0.7.4 and v0_7_4: destroy.trtllm",
        "    left: the stub said 0, the wheel 3",
    ]


def test_a_row_allows_its_probes_in_its_releases(tmp_path: Path) -> None:
    file = tmp_path / "fidelity.toml"
    file.write_text(ROW)

    (row,) = read_allowances(file)

    assert row == Allowance("create.*", SpecifierSet(">=0.6,<0.7"), "known")
    assert row.covers("0.6.10.post1", "create.trtllm.neither")
    assert not row.covers("0.7.0", "create.trtllm.neither")
    assert not row.covers("0.6.10", "destroy.trtllm")


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('reason = "known"\n', "", "the row for 'create.*' lacks 'reason'"),
        ('probe = "create.*"\n', "", "the row for '?' lacks 'probe'"),
        ('">=0.6,<0.7"', '"all"', "'all' is no range"),
        ('reason = "known"\n', 'reason = "known"\nlink = "x"\n', "the unknown key 'link'"),
        ('"known"', "[1]", "reason is no text"),
        ("[[difference]]", "[difference]", "write [[difference]] rows"),
    ],
)
def test_a_row_that_is_wrong_is_told_in_one_line(
    tmp_path: Path, old: str, new: str, said: str
) -> None:
    file = tmp_path / "fidelity.toml"
    file.write_text(ROW.replace(old, new))

    with pytest.raises(InvalidDataError, match=r"fidelity\.toml") as raised:
        read_allowances(file)

    assert said in str(raised.value)
    assert "\n" not in str(raised.value)
