"""Findings as values, and the states that a cell can end in."""

from __future__ import annotations

import hashlib
from dataclasses import asdict, dataclass, field
from enum import Enum
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from driftgate.cells import Cell


_DIGITS = 4


class State(str, Enum):
    """How one contract ended in one cell."""

    PASS = "pass"  # noqa: S105 - a state, not a password
    FAIL = "fail"
    XFAIL = "xfail"
    XPASS = "xpass"
    ERROR = "error"
    NOT_RUN = "not-run"


@dataclass(frozen=True)
class Finding:
    """One broken contract.

    Attributes:
        contract: The contract's id.
        symbol: The watched symbol it is about, or empty.
        expected: What the contract asks for.
        got: What was seen instead.
        site: The consumer's call site as ``file:line``, or empty.
    """

    contract: str
    expected: str
    got: str
    symbol: str = ""
    site: str = ""

    @property
    def file(self) -> str:
        """The base name of the file that the call site is in, or empty: files move."""
        return PurePath(self.site.rpartition(":")[0]).name


def project_of(consumer: str) -> str:
    """Return whose a consumer is: ``sglang`` of ``sglang==0.5.23``, ``file:mine.py`` of a path."""
    kind, colon, path = consumer.partition(":")
    if colon:
        return f"{kind}:{PurePath(path).name}"
    return consumer.partition("==")[0].partition("@")[0]


def finding_id(consumer: str, finding: Finding) -> str:
    """Return a finding's name, equal in every run and for every release of a project.

    It is the contract's id and a few digits of a hash over the consumer's project, the contract,
    the symbol and the base name of the call site's file.
    """
    parts = (project_of(consumer), finding.contract, finding.symbol, finding.file)
    digest = hashlib.sha256("\0".join(parts).encode()).hexdigest()
    return f"{finding.contract}-{digest[:_DIGITS]}"


@dataclass(frozen=True)
class ContractResult:
    """The verdict of one contract on one cell.

    Attributes:
        cell: The cell.
        contract: The contract's id.
        state: How it ended.
        findings: What broke; empty unless the state is fail or xfail.
        reason: Why it was not run, crashed, or was expected to fail.
        activity: ``active`` or ``degraded(reason)``, from the cell's trace.
        backend: The workspace's backend, or empty.
        size_check: Who answered size checks: ``upstream``, ``local`` or ``none``.
        standins: Modules that were stood in for, for a real release to be imported.
        seconds: What the cell cost, shared by all contracts judged on it.
    """

    cell: Cell
    contract: str
    state: State
    findings: tuple[Finding, ...] = ()
    reason: str = ""
    activity: str = ""
    backend: str = ""
    size_check: str = "none"
    standins: tuple[str, ...] = ()
    seconds: float = field(default=0.0, compare=False)

    def as_dict(self) -> dict[str, Any]:
        """Return one result row, for JSON Lines."""
        return {
            **self.cell.as_dict(),
            "contract": self.contract,
            "state": self.state.value,
            "findings": [
                {"id": finding_id(self.cell.consumer, finding), **asdict(finding)}
                for finding in self.findings
            ],
            "reason": self.reason,
            "activity": self.activity,
            "backend": self.backend,
            "size_check": self.size_check,
            "standins": list(self.standins),
            "seconds": round(self.seconds, 4),
        }
