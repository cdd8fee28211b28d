"""Where fusion goes off, the release that has it on again."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from driftgate.bump.compare import GOES_OFF
from driftgate.bump.later import pointed
from driftgate.bump.model import Change, Line, Verdict
from driftgate.bump.suite import Suite
from driftgate.environments import read_environments
from driftgate.paths import find_project

PROJECT = find_project(Path(__file__).parent)
SUITE = Suite(environments=read_environments(PROJECT.matrix / "environments.toml"))
LINE = Line(
    Verdict.CHANGE,
    GOES_OFF,
    "fusion",
    (Change("h100_subgroup", "active", "degraded(rendezvous-world)"),),
    "slower",
    "accept it",
    seen=("stub", "wheel"),
)


def test_next_release_with_the_parameter() -> None:
    """0.6.10 meets over WORLD; 0.6.10.post1 takes the group."""
    [line] = pointed([LINE], PROJECT, SUITE, "0.6.10")

    assert line.todo == "take 0.6.10.post1, where it is on"


def test_no_later_release() -> None:
    """After the newest recorded release there is none to take."""
    [line] = pointed([LINE], PROJECT, SUITE, "99")

    assert line == LINE


def test_seen_on_the_release_alone() -> None:
    """No stub promises what only the release itself shows, such as a failing import."""
    alone = replace(LINE, seen=("wheel",))

    assert list(pointed([alone], PROJECT, SUITE, "0.6.10")) == [alone]
