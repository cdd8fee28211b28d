"""What a release asks of the machine, judged on Python 3.11 in a project for 3.10 on."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bump.rig import ROW, context, judge_with
from driftgate.bump.environment import withdrawn_or_unfit
from driftgate.bump.model import Line, Verdict
from driftgate.surface.difference import Difference, Kind, Level

FAILS = Difference(
    Kind.IMPORT_FAILS,
    Level.BREAKING,
    "pkg",
    new="array.array[\N{HORIZONTAL ELLIPSIS}] is evaluated",
)


def only_line(difference: Difference, **fields: object) -> Line:
    """The one line of ``difference``."""
    [line] = judge_with([difference], context(**fields)).lines
    return line


def test_import_that_fails_here() -> None:
    """A generic that came with 3.12 cannot be evaluated on 3.11."""
    line = only_line(FAILS)

    assert line.verdict is Verdict.BLOCKED
    assert "Python 3.12 or later" in line.todo


def test_import_that_fails_elsewhere() -> None:
    """On 3.12 it works, and a project that admits 3.10 and 3.11 still has to say so."""
    line = only_line(FAILS, python="3.12")

    assert line.verdict is Verdict.CHANGE
    assert "3.10, 3.11" in line.why


def test_import_that_fails_nowhere_meant() -> None:
    """A project for 3.12 on does not meet it."""
    assert only_line(FAILS, python="3.12", pythons=">=3.12").verdict is Verdict.SAFE


def test_mandatory_import_that_nobody_installs() -> None:
    """A module that the metadata does not ask for is missing."""
    difference = Difference(Kind.IMPORT_MADE_MANDATORY, Level.BREAKING, "pkg", new="mpi4py")

    assert only_line(difference).verdict is Verdict.BLOCKED


def test_call_at_import_that_reaches_the_device() -> None:
    """CUDA in the parent of forked workers shows only there."""
    difference = Difference(Kind.CALL_AT_IMPORT_ADDED, Level.DANGEROUS, "pkg", new="f()")

    assert only_line(difference).verdict is Verdict.GPU


@pytest.mark.parametrize(
    ("python", "verdict"), [("3.11", Verdict.BLOCKED), ("3.12", Verdict.CHANGE)]
)
def test_python_no_longer_admitted(python: str, verdict: Verdict) -> None:
    """It cannot be installed here, or not everywhere where this project can."""
    difference = Difference(
        Kind.REQUIRES_PYTHON_CHANGED, Level.BREAKING, "requires-python", "", ">=3.10", ">=3.12"
    )

    assert only_line(difference, python=python).verdict is verdict


def test_requirement_of_an_extra_is_nobodys() -> None:
    """What is installed with an extra only is not used."""
    difference = Difference(Kind.REQUIREMENT_ADDED, Level.COSMETIC, "requires-dist", "x", new="x")

    assert judge_with([difference], context()).unused == [difference]


def test_withdrawn() -> None:
    """A release that the index has withdrawn blocks, whatever changed."""
    line = withdrawn_or_unfit(context(row=replace(ROW, yanked=True)))

    assert line is not None
    assert line.verdict is Verdict.BLOCKED


def test_unfit_and_fit() -> None:
    """So does one for other Pythons than this; any other does not."""
    unfit = withdrawn_or_unfit(context(row=replace(ROW, requires_python=">=3.12")))

    assert unfit is not None
    assert unfit.verdict is Verdict.BLOCKED
    assert withdrawn_or_unfit(context()) is None


def test_what_moved_from_import_to_first_use() -> None:
    """Neither works better nor worse by itself; only a run beside other libraries tells."""
    moved = Difference(Kind.CALL_DEFERRED, Level.DANGEROUS, "pkg", old="Library()")

    line = only_line(moved)

    assert line.verdict is Verdict.GPU
    assert "first use" in line.why
