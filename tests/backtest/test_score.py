"""What answers come to."""

from __future__ import annotations

import pytest

from driftgate.backtest.model import Answer, Case, Control, Incident, Proof, Question
from driftgate.backtest.rows import Backtest
from driftgate.backtest.score import Fate, figures, score, unexpected
from driftgate.cells import Tier
from driftgate.findings import Finding, State

BAD = Case((("consumer", "bad"),))
GOOD = Case((("consumer", "good"),))
FINDING = Finding("rule", "group", "nothing", "create")


def _answer(state: State) -> Answer:
    findings = (FINDING,) if state is State.FAIL else ()
    return Answer(state, Tier.STUB, findings)


def _fate(bad: State, good: State, about: str = "") -> Fate:
    incident = Incident("A1", "it hangs", (), (Proof("rule", BAD, GOOD, about),))
    answers = {Question("rule", BAD): _answer(bad), Question("rule", GOOD): _answer(good)}
    (outcome,) = score(Backtest((incident,), ()), answers)
    return outcome.fate


@pytest.mark.parametrize(
    ("bad", "good", "fate"),
    [
        (State.FAIL, State.PASS, Fate.CAUGHT),
        (State.PASS, State.PASS, Fate.MISSED),
        (State.FAIL, State.FAIL, Fate.FALSE_ALARM),
        (State.PASS, State.FAIL, Fate.FALSE_ALARM),
        (State.FAIL, State.NOT_RUN, Fate.MISSED),
        (State.NOT_RUN, State.PASS, Fate.MISSED),
        (State.ERROR, State.PASS, Fate.ERROR),
        (State.FAIL, State.ERROR, Fate.ERROR),
    ],
)
def test_red_and_green_make_a_proof(bad: State, good: State, fate: Fate) -> None:
    """Caught is red where it happened and green where it did not; nothing else is."""
    assert _fate(bad, good) is fate


def test_only_findings_about_the_thing_count() -> None:
    """Another breach of the same contract neither catches an incident nor is a false alarm."""
    assert _fate(State.FAIL, State.PASS, about="trigger") is Fate.MISSED
    assert _fate(State.FAIL, State.PASS, about="group") is Fate.CAUGHT


def test_all_proofs_must_hold() -> None:
    """One proof that fails makes the incident missed."""
    proofs = (Proof("rule", BAD, GOOD), Proof("other", BAD, GOOD))
    answers = {
        Question("rule", BAD): _answer(State.FAIL),
        Question("rule", GOOD): _answer(State.PASS),
        Question("other", BAD): _answer(State.PASS),
        Question("other", GOOD): _answer(State.PASS),
    }

    (outcome,) = score(Backtest((Incident("A1", "w", (), proofs),), ()), answers)

    assert outcome.fate is Fate.MISSED
    assert list(unexpected([outcome])) == [outcome]


@pytest.mark.parametrize(
    ("state", "fate"),
    [
        (State.PASS, Fate.QUIET),
        (State.FAIL, Fate.FALSE_ALARM),
        (State.NOT_RUN, Fate.ERROR),
        (State.ERROR, Fate.ERROR),
    ],
)
def test_a_control_must_be_seen_to_pass(state: State, fate: Fate) -> None:
    """A change that could not be judged shows nothing."""
    control = Control("c", "moved", Question("*", GOOD))

    (outcome,) = score(Backtest((), (control,)), {control.question: _answer(state)})

    assert outcome.fate is fate


def test_the_last_line_counts() -> None:
    """Known misses are missed all the same; stand-ins and what needs a GPU are counted apart."""
    fixture = Case((("consumer", "file:a.py"),))
    incidents = (
        Incident("A1", "w", (), (Proof("rule", BAD, GOOD),)),
        Incident("A2", "w", (), (Proof("rule", fixture, GOOD),)),
        Incident("A3", "w", (), missed="nothing shows it"),
        Incident("A4", "w", (), needs="a GPU"),
    )
    control = Control("c", "moved", Question("*", GOOD))
    answers = {
        Question("rule", BAD): _answer(State.FAIL),
        Question("rule", fixture): _answer(State.FAIL),
        Question("rule", GOOD): _answer(State.PASS),
        control.question: _answer(State.FAIL),
    }

    outcomes = score(Backtest(incidents, (control,)), answers)

    assert figures(outcomes, 2.04) == (
        "summary: incidents=4 caught=2 by-fixture=1 missed=1 false-alarms=1 controls=1 error=0 "
        "not-run=1 seconds=2.0"
    )
