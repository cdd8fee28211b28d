from __future__ import annotations

from driftgate.calls.ranges import spell_ranges

RELEASES = ("0.6.9", "0.6.10", "0.6.10.post1", "0.7.0")


def test_neighbours_join_and_gaps_show() -> None:
    """Order is that of the releases given, not of text."""
    dash = "\N{EN DASH}"

    assert spell_ranges(["0.6.10", "0.6.9"], RELEASES) == f"0.6.9{dash}0.6.10"
    assert spell_ranges(["0.6.9", "0.7.0"], RELEASES) == "0.6.9, 0.7.0"
    assert spell_ranges(RELEASES, RELEASES) == f"0.6.9{dash}0.7.0"
    assert spell_ranges([], RELEASES) == ""
