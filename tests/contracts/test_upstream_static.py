"""Each contract that reads one release: trees that break and keep it, and the real releases."""

from __future__ import annotations

from pathlib import Path

import pytest

from driftgate.backtest.families import release
from driftgate.backtest.model import Answer, Case, Question
from driftgate.contracts.upstream import upstream_rules
from driftgate.errors import UnknownNameError
from driftgate.findings import State
from driftgate.paths import find_project
from driftgate.surface.store import recorded_releases

TREES = "tests/fixtures/upstream"
PROJECT = find_project(Path(__file__).parent)
READ = [name for name, rule in upstream_rules().items() if not rule.contract.exercises]


def answer(contract: str, name: str) -> Answer:
    """What one contract says of one release, or of one tree."""
    question = Question(contract, Case.of({"release": name}, release.KEYS))
    [(_, found)] = release.ask([question], PROJECT, 1)
    return found


@pytest.mark.parametrize("contract", READ)
def test_the_bad_tree_is_caught(contract: str) -> None:
    """A contract finds what it is for."""
    assert answer(contract, f"file:{TREES}/{contract}/bad").state is State.FAIL


@pytest.mark.parametrize("contract", READ)
def test_the_good_tree_passes(contract: str) -> None:
    """A contract finds nothing in a tree that keeps it."""
    found = answer(contract, f"file:{TREES}/{contract}/good")

    assert (found.state, found.findings) == (State.PASS, ())


def test_every_contract_has_its_trees() -> None:
    """No contract without a tree that breaks it, and no tree without a contract."""
    there = {path.name for path in (PROJECT.root / TREES).iterdir()}

    assert there == set(upstream_rules())


# (contract, the first release that breaks it, the last; what a finding says), read by hand in the
# releases and, where public, in the reports.
BROKEN = [
    ("siblings_take_the_same", "0.6.0", "", "strategy"),
    ("methods_are_not_cached", "0.6.0", "", "cache"),
    ("import_reaches_no_device", "0.2.8", "0.6.13", "CudaRTLibrary"),
    ("switches_are_set_apart", "0.6.0", "0.6.7.post3", "trigger_completion_at_end"),
    ("accepted_is_honoured", "0.6.8", "", "trigger_completion_at_end"),
    ("accepted_is_honoured", "0.6.0", "0.6.12", "use_oneshot"),
    ("accepted_is_honoured", "0.6.10.post1", "", "[mnnvl] group"),
    ("capacity_can_be_checked", "0.2.8", "0.4.1", "refuse"),
]


@pytest.mark.parametrize(("contract", "first", "last", "said"), BROKEN)
def test_releases_are_red_from_where_it_began_to_where_it_was_mended(
    contract: str, first: str, last: str, said: str
) -> None:
    """As the releases themselves show; an empty last release is the newest."""
    releases = recorded_releases(PROJECT.surfaces)
    end = releases.index(last) if last else len(releases) - 1
    questions = [Question(contract, Case.of({"release": each}, release.KEYS)) for each in releases]

    red = [
        question.case.get("release")
        for question, found in release.ask(questions, PROJECT, 1)
        if any(said in f"{each.symbol} {each.got}" for each in found.findings)
    ]

    assert sorted(red) == sorted(releases[releases.index(first) : end + 1])


def test_no_release_returns_what_the_machine_decides() -> None:
    """Metadata and symmetric memory are asked for by the caller, in every release."""
    for each in recorded_releases(PROJECT.surfaces):
        assert answer("result_is_told_by_the_call", each).state is State.PASS


def test_a_folder_without_the_package_is_named() -> None:
    """A tree that is misspelt is no release without findings."""
    with pytest.raises(UnknownNameError, match="file:nowhere"):
        answer(READ[0], "file:nowhere")
