"""Sets of releases in few letters."""

from __future__ import annotations

import pytest

from driftgate.grid.spelling import spell

RELEASES = ("0.6.0", "0.6.1", "0.6.2", "0.6.10", "0.7.0", "0.7.1")


@pytest.mark.parametrize(
    ("found", "spelled"),
    [
        (RELEASES, "all"),
        ((), "none"),
        (("0.6.1",), "0.6.1"),
        (("0.6.1", "0.6.2", "0.6.10"), "0.6.1\N{EN DASH}0.6.10"),
        (("0.6.0", "0.6.1"), "≤0.6.1"),
        (("0.7.0", "0.7.1"), "≥0.7.0"),
        (("0.6.0", "0.6.1", "0.6.2", "0.7.0", "0.7.1"), "≤0.6.2, ≥0.7.0"),
        (("0.6.0", "0.6.2", "0.7.0", "0.7.1"), "0.6.0, 0.6.2, ≥0.7.0"),
    ],
)
def test_releases_are_spelled_in_few_letters(found: tuple[str, ...], spelled: str) -> None:
    """Runs become ranges, and those that reach an end say so."""
    assert spell(found, RELEASES) == spelled


def test_what_is_missing_is_told_where_that_is_shorter() -> None:
    """One hole in a long row of releases."""
    releases = ("0.6.10.post1", "0.6.11.post2", "0.6.12", "0.6.13.post1", "0.6.14.post1")
    found = ("0.6.10.post1", "0.6.12", "0.6.14.post1")

    assert spell(set(releases) - {"0.6.12"}, releases) == "all but 0.6.12"
    assert spell(found, releases) == "0.6.10.post1, 0.6.12, 0.6.14.post1"
