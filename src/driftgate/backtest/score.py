"""What the answers come to: which incidents are caught, and which changes are flagged in vain."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

from driftgate.backtest.consumers import FILE
from driftgate.backtest.model import Proof, Question
from driftgate.findings import State

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from driftgate.backtest.model import Answer, Case, Control, Incident
    from driftgate.backtest.rows import Backtest
    from driftgate.findings import Finding

    Answers = Mapping[Question, Answer]


class Fate(str, Enum):
    """What became of an incident or of a control, worst first."""

    ERROR = "error"
    FALSE_ALARM = "false alarm"
    MISSED = "missed"
    KNOWN_MISS = "missed, as known"
    NEEDS = "not run"
    CAUGHT = "caught"
    QUIET = "quiet"


_AS_EXPECTED = {Fate.KNOWN_MISS, Fate.NEEDS, Fate.CAUGHT, Fate.QUIET}


@dataclass(frozen=True)
class Side:
    """One case of a proof, with what was found there.

    Attributes:
        case: The case.
        answer: What its question came to.
        findings: Those of its findings that count.
    """

    case: Case
    answer: Answer
    findings: tuple[Finding, ...]

    @property
    def is_red(self) -> bool:
        """Whether the contract was seen broken."""
        return bool(self.findings)

    @property
    def is_green(self) -> bool:
        """Whether the contract was seen kept; what could not be told is neither."""
        told = self.answer.state in {State.PASS, State.FAIL}
        return told and not self.findings


@dataclass(frozen=True)
class Shown:
    """A proof with both its sides.

    Attributes:
        proof: The proof.
        bad: Where it must be red.
        good: Where it must be green.
    """

    proof: Proof
    bad: Side
    good: Side

    @property
    def fate(self) -> Fate:
        """What this proof alone says of its incident."""
        if self.good.is_red:
            return Fate.FALSE_ALARM
        if State.ERROR in {self.bad.answer.state, self.good.answer.state}:
            return Fate.ERROR
        return Fate.CAUGHT if self.bad.is_red and self.good.is_green else Fate.MISSED


@dataclass(frozen=True)
class Outcome:
    """A row, with what became of it.

    Attributes:
        row: The incident or the control.
        fate: What became of it.
        shown: An incident's proofs.
        side: A control's case.
    """

    row: Incident | Control
    fate: Fate
    shown: tuple[Shown, ...] = ()
    side: Side | None = None

    @property
    def is_as_expected(self) -> bool:
        """Whether nobody has to look at it."""
        return self.fate in _AS_EXPECTED

    @property
    def is_by_fixture(self) -> bool:
        """Whether something written from the report stands in for what was released."""
        cases = [case for each in self.shown for case in (each.proof.bad, each.proof.good)]
        return any(str(value).startswith(FILE) for case in cases for _, value in case.values)

    @property
    def tiers(self) -> tuple[str, ...]:
        """How real the evidence is, each kind once."""
        sides = [side for each in self.shown for side in (each.bad, each.good)]
        sides += [self.side] if self.side else []
        return tuple(dict.fromkeys(side.answer.tier.value for side in sides))


def score(backtest: Backtest, answers: Answers) -> list[Outcome]:
    """Return what became of every row, in the file's order."""
    return [
        *(_incident(incident, answers) for incident in backtest.incidents),
        *(_control(control, answers) for control in backtest.controls),
    ]


def _incident(incident: Incident, answers: Answers) -> Outcome:
    if incident.missed or incident.needs:
        return Outcome(incident, Fate.KNOWN_MISS if incident.missed else Fate.NEEDS)
    shown = tuple(_show(proof, answers) for proof in incident.proofs)
    fates = {each.fate for each in shown}
    return Outcome(incident, next(fate for fate in Fate if fate in fates), shown)


def _show(proof: Proof, answers: Answers) -> Shown:
    bad, good = (
        _side(proof.contract, case, answers, proof.about) for case in (proof.bad, proof.good)
    )
    return Shown(proof, bad, good)


def _control(control: Control, answers: Answers) -> Outcome:
    side = _side(control.question.contract, control.question.case, answers)
    if side.is_red:
        fate = Fate.FALSE_ALARM
    elif side.answer.state is State.PASS:
        fate = Fate.QUIET
    else:
        fate = Fate.ERROR  # not run or died: it shows nothing
    return Outcome(control, fate, side=side)


def _side(contract: str, case: Case, answers: Answers, about: str = "") -> Side:
    answer = answers[Question(contract, case)]
    findings = tuple(
        finding
        for finding in answer.findings
        if about in f"{finding.symbol} {finding.expected} {finding.got}"
    )
    return Side(case, answer, findings)


def figures(outcomes: Iterable[Outcome], seconds: float) -> str:
    """Return a run's last line."""
    outcomes = list(outcomes)
    incidents = [each for each in outcomes if each.side is None]
    count = Counter(each.fate for each in outcomes)
    caught = [each for each in incidents if each.fate is Fate.CAUGHT]
    told: dict[str, object] = {
        "incidents": len(incidents),
        "caught": len(caught),
        "by-fixture": sum(each.is_by_fixture for each in caught),
        "missed": count[Fate.MISSED] + count[Fate.KNOWN_MISS],
        "false-alarms": count[Fate.FALSE_ALARM],
        "controls": len(outcomes) - len(incidents),
        "error": count[Fate.ERROR],
        "not-run": count[Fate.NEEDS],
        "seconds": f"{seconds:.1f}",
    }
    return "summary: " + " ".join(f"{name}={figure}" for name, figure in told.items())


def unexpected(outcomes: Iterable[Outcome]) -> Iterator[Outcome]:
    """Yield what somebody has to look at."""
    return (each for each in outcomes if not each.is_as_expected)
