"""One contract tried on one release."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from driftgate.bump.bisect import Outcome, Trial
from driftgate.bump.suite import run_suite
from driftgate.compat import EmptySelectionError
from driftgate.findings import State

if TYPE_CHECKING:
    from driftgate.consumers import Consumer
    from driftgate.findings import ContractResult
    from driftgate.paths import Project

_BROKEN = (State.FAIL, State.XFAIL, State.ERROR)
_KEPT = (State.PASS, State.XPASS)


@dataclass(frozen=True)
class Trier:
    """Tries one contract of one consumer.

    Attributes:
        project: Where the data lies.
        consumer: The consumer.
        contract: The contract's id.
        workers: Processes at a time.
    """

    project: Project
    consumer: Consumer
    contract: str
    workers: int

    def on(self, release: str, upstream: str) -> Trial:
        """Judge the contract on ``upstream``, which is or stands for ``release``.

        Raises:
            DriftgateError: The contract, the consumer or the upstream cannot be used.
        """
        try:
            suite = run_suite(
                self.project, self.consumer, [upstream], self.workers, [self.contract]
            )
        except EmptySelectionError:
            return Trial(release, Outcome.SILENT, "fusion is off there")
        broken = [each for each in suite.results if each.state in _BROKEN]
        if broken:
            return Trial(release, Outcome.BROKEN, _spelled(broken[0]))
        if any(each.state in _KEPT for each in suite.results):
            return Trial(release, Outcome.KEPT)
        return Trial(release, Outcome.SILENT, suite.results[0].reason)


def _spelled(result: ContractResult) -> str:
    place = result.cell.environment
    if not result.findings:
        return f"{place}: {result.reason}"
    finding = result.findings[0]
    symbol = f"{finding.symbol}, " if finding.symbol else ""
    return f"{place}: {symbol}expected {finding.expected}, got {finding.got}"
