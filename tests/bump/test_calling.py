"""Calls that do not work with the new release: the bump's doing, or so already."""

from __future__ import annotations

import pytest

from bump.rig import judge_texts

READS = "import pkg\nx = pkg.Mode.A\n"
CALLS = "import pkg\nw = pkg.make(size=1)\n"
ASKS = "import pkg\nif hasattr(pkg, 'make'):\n    pkg.make(size=1)\n"


@pytest.mark.parametrize(
    ("old", "new", "consumer"),
    [
        ("", "class Mode:\n    B = 0", READS),
        ("", "def make(length): ...", CALLS),
    ],
)
def test_a_line_that_failed_before_is_not_the_bumps_doing(
    old: str, new: str, consumer: str
) -> None:
    """What lacked the whole symbol, and has one of another shape now, works no less than it did."""
    judged = judge_texts(old, new, consumer)

    assert {line.verdict.value for line in judged.lines} <= {"safe"}


def test_a_line_that_was_not_reached_before_is() -> None:
    """Who asks first did nothing where the symbol was not, and fails where it is."""
    judged = judge_texts("", "def make(length): ...", ASKS)

    assert judged.verdicts()["rejects make"] == "needs a change"
