"""Incidents, the questions that prove them, and the answers, as values."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from driftgate.cells import Tier
    from driftgate.findings import Finding, State

EVERY = "*"
"""A question's contract where every contract that is judged in its case is meant."""


@dataclass(frozen=True)
class Case:
    """Where a contract is asked: a cell, a hop between releases, an environment of packages ….

    Attributes:
        values: Its keys and values, in the order of its family's keys; arrays are tuples, tables
            are tuples of pairs.
    """

    values: tuple[tuple[str, Any], ...]

    @classmethod
    def of(cls, table: Mapping[str, Any], order: Iterable[str]) -> Case:
        """Return the case that a row's table spells, with its keys in this order."""
        return cls(tuple((key, _frozen(table[key])) for key in order if key in table))

    def get(self, key: str, default: Any = "") -> Any:  # noqa: ANN401 - what the row holds
        """Return the value of ``key``; ``default`` where the row does not give it."""
        return dict(self.values).get(key, default)

    def as_dict(self) -> dict[str, Any]:
        """Return plain values, for JSON."""
        return dict(self.values)

    def __str__(self) -> str:
        return " x ".join(_spelled(value) for _, value in self.values)


def _frozen(value: Any) -> Any:  # noqa: ANN401 - TOML's
    if isinstance(value, list):
        return tuple(_frozen(each) for each in value)
    if isinstance(value, dict):
        return tuple(sorted((key, _frozen(each)) for key, each in value.items()))
    return value


def _spelled(value: Any) -> str:  # noqa: ANN401 - TOML's, frozen
    if isinstance(value, tuple):
        return " ".join("=".join(each) if isinstance(each, tuple) else str(each) for each in value)
    return str(value)


@dataclass(frozen=True)
class Question:
    """Whether a contract is kept in a case.

    Attributes:
        contract: The contract's id, or ``"*"``.
        case: Where.
    """

    contract: str
    case: Case


@dataclass(frozen=True)
class Answer:
    """What a question came to.

    Attributes:
        state: Pass or fail; error or not-run where it could not be told.
        tier: How real the evidence is.
        findings: What is broken.
        reason: Why it could not be told.
        activity: ``active`` or ``degraded(reason)``, where a consumer was run.
    """

    state: State
    tier: Tier
    findings: tuple[Finding, ...] = ()
    reason: str = ""
    activity: str = ""

    def as_dict(self) -> dict[str, Any]:
        """Return plain values, for JSON."""
        return {**asdict(self), "state": self.state.value, "tier": self.tier.value}


@dataclass(frozen=True)
class Proof:
    """A contract that is broken where an incident happened, and kept where it did not.

    Attributes:
        contract: The contract's id.
        bad: Where it happened.
        good: Where it does not happen.
        about: Text that a finding must hold to count, for contracts that others break too.
    """

    contract: str
    bad: Case
    good: Case
    about: str = ""


@dataclass(frozen=True)
class Incident:
    """A public report, and how it is caught; a row of ``incidents.toml``.

    Attributes:
        id: The row's name.
        what: What happened and why, in one line.
        refs: Where it was reported.
        proofs: What shows that it is caught.
        missed: Why it is not caught, and what would catch it; empty where it is.
        needs: What it takes that no CPU has; empty where a CPU is enough.
    """

    id: str
    what: str
    refs: tuple[str, ...]
    proofs: tuple[Proof, ...] = ()
    missed: str = ""
    needs: str = ""


@dataclass(frozen=True)
class Control:
    """A change that must not be flagged; a row of ``incidents.toml``.

    Attributes:
        id: The row's name.
        what: What changed, and why nobody has to act.
        question: What must come out well.
    """

    id: str
    what: str
    question: Question
