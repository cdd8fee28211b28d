"""Binary search for the first bad release."""

from __future__ import annotations

import pytest

from driftgate.bump.bisect import Outcome, Trial, WrongEndError, search

RELEASES = [f"1.{number}" for number in range(12)]


def judge(first_bad: int, silent: tuple[str, ...] = ()) -> dict[str, Trial]:
    """Every release's trial where all from ``first_bad`` on are broken."""
    return {
        release: Trial(
            release,
            Outcome.SILENT
            if release in silent
            else Outcome.BROKEN
            if number >= first_bad
            else Outcome.KEPT,
            "why",
        )
        for number, release in enumerate(RELEASES)
    }


@pytest.mark.parametrize("first_bad", range(1, len(RELEASES)))
def test_finds_every_place(first_bad: int) -> None:
    """The earliest broken one that was tried is the first bad one, after few trials."""
    trials = list(search(RELEASES, judge(first_bad).__getitem__))

    broken = [RELEASES.index(each.release) for each in trials if each.outcome is Outcome.BROKEN]
    assert min(broken) == first_bad
    assert len(trials) <= 2 + 4  # both ends, and the logarithm of eleven


def test_one_that_is_not_judged_is_not_broken() -> None:
    """Where fusion is off the contract says nothing, and the search goes on behind it."""
    trials = list(search(RELEASES, judge(7, silent=tuple(RELEASES[:7])).__getitem__))

    assert "1.7" in [each.release for each in trials if each.outcome is Outcome.BROKEN]


def test_good_that_is_bad() -> None:
    """A wrong end is told with what broke there."""
    with pytest.raises(WrongEndError, match=r"^1\.0 is not good: broken \(why\); "):
        list(search(RELEASES, judge(0).__getitem__))


def test_bad_that_is_good() -> None:
    """And the other one with how it ended."""
    with pytest.raises(WrongEndError, match=r"^1\.11 is not bad: kept"):
        list(search(RELEASES, judge(len(RELEASES)).__getitem__))
