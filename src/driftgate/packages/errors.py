"""What can be wrong with a description of an environment, each in one line."""

from __future__ import annotations

from driftgate.errors import DriftgateError


class BadEnvironmentError(DriftgateError, ValueError):
    """Something that was said of an environment cannot be used.

    Attributes:
        given: As it was given.
        problem: What is wrong with it.
        remedy: What to write instead.
    """

    def __init__(self, given: str, problem: str, remedy: str) -> None:
        self.given = given
        self.problem = problem
        self.remedy = remedy
        super().__init__(f"{given!r}: {problem}; {remedy}")


class CannotTellError(DriftgateError):
    """A rule finds nothing to judge, or not what it judges by.

    Attributes:
        reason: What it lacks.
    """

    def __init__(self, reason: str) -> None:
        self.reason = reason
        super().__init__(reason)
