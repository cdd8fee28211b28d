"""Lines that tell what is wrong."""

from __future__ import annotations

from driftgate.errors import UnknownNameError

MANY = tuple(f"stub:v0_{minor}_{patch}" for minor in (6, 7) for patch in range(10))


def test_a_few_names_are_all_told() -> None:
    assert str(UnknownNameError("fruit", "pair", ("fig", "pear"))) == (
        "unknown fruit 'pair'; known: fig, pear"
    )
    assert str(UnknownNameError("fruit", "pair", ())) == "unknown fruit 'pair'; known: none"


def test_of_many_names_the_closest_are_told() -> None:
    """At most five, and how many there are."""
    line = str(UnknownNameError("upstream", "stub:v0_7_44", MANY))

    start, _, told = line.rpartition(": ")
    assert start == "unknown upstream 'stub:v0_7_44'; like it, of 20 known"
    assert told.split(", ")[0] == "stub:v0_7_4"
    assert len(told.split(", ")) == 5


def test_a_name_like_none_of_many_is_told_so() -> None:
    line = str(UnknownNameError("upstream", "xyz", MANY))

    assert line == "unknown upstream 'xyz'; none of the 20 known is like it"
