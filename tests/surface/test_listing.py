from __future__ import annotations

from driftgate.surface.difference import Difference, Kind, Level
from driftgate.surface.listing import difference_lines

DIFFERENCES = [
    Difference(Kind.RETURN_CHANGED, Level.COSMETIC, "pkg:a", "f", "int", "str"),
    Difference(Kind.PARAM_APPENDED, Level.ADDITIVE, "pkg:b", "(x)", new="x = 1", note="position 3"),
    Difference(Kind.PARAM_REMOVED, Level.BREAKING, "pkg:a", "(y)", old=" ".join(["word"] * 60)),
    Difference(Kind.VALUE_CHANGED, Level.DANGEROUS, "pkg:a", "z", "1", "2"),
]


def lines(width: int) -> list[str]:
    return [line.plain for line in difference_lines(DIFFERENCES, width)]


def test_differences_are_grouped_by_symbol_and_the_worst_come_first() -> None:
    """A symbol is named once; what was, what is and remarks are told by their signs."""
    found = lines(400)

    assert [line for line in found if not line.startswith(" ")] == ["pkg:a", "pkg:b"]
    assert [line.split()[0] for line in found if line.startswith("  ") and line[2] != " "] == [
        "breaking",
        "dangerous",
        "cosmetic",
        "additive",
    ]
    assert found[-3:] == [
        "  additive         param-appended (x)",
        "                   + x = 1",
        "                     position 3",
    ]


def test_lines_fit_and_no_word_is_split() -> None:
    """Neither a wide nor a narrow terminal gets more than 100 columns."""
    for width in (60, 100, 400):
        found = lines(width)
        assert max(map(len, found)) <= min(width, 100)
        assert sum(line.split().count("word") for line in found) == 60
