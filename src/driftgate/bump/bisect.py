"""The first release that breaks a contract, by binary search."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

from driftgate.errors import DriftgateError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence


class Outcome(str, Enum):
    """How a contract ended on one release."""

    KEPT = "kept"
    BROKEN = "broken"
    SILENT = "not judged"


@dataclass(frozen=True)
class Trial:
    """One release, tried.

    Attributes:
        release: The release.
        outcome: How the contract ended there; one that is not judged is not broken.
        detail: What broke, or why it was not judged, in one line.
    """

    release: str
    outcome: Outcome
    detail: str = ""


class WrongEndError(DriftgateError):
    """A release that was given as good is bad, or the other way about.

    Attributes:
        trial: How it ended there.
        meant: What it was given as.
    """

    def __init__(self, trial: Trial, meant: str) -> None:
        self.trial = trial
        self.meant = meant
        super().__init__(
            f"{trial.release} is not {meant}: {trial.outcome.value}"
            f"{f' ({trial.detail})' if trial.detail else ''}; give another release"
        )


def search(releases: Sequence[str], judge: Callable[[str], Trial]) -> Iterator[Trial]:
    """Yield each trial as it is made; the last broken one is the first bad release.

    Args:
        releases: Oldest first; the first is held for good, the last for bad.
        judge: Tries one.

    Raises:
        WrongEndError: The first is bad, or the last is not.
    """
    good, bad = 0, len(releases) - 1
    first = judge(releases[good])
    if first.outcome is Outcome.BROKEN:
        raise WrongEndError(first, "good")
    yield first
    last = judge(releases[bad])
    if last.outcome is not Outcome.BROKEN:
        raise WrongEndError(last, "bad")
    yield last
    while bad - good > 1:
        middle = (good + bad) // 2
        trial = judge(releases[middle])
        if trial.outcome is Outcome.BROKEN:
            bad = middle
        else:
            good = middle
        yield trial
