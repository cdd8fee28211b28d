"""Every error that driftgate raises on purpose.

Each class takes data, keeps it as attributes, and builds its one-line message itself:
what is wrong, where, and what to do about it. The command line prints that line and
exits with ``exit_code``.
"""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, ClassVar

if TYPE_CHECKING:
    from pathlib import Path

# Names that fit on a line.
_FEW = 10


class DriftgateError(Exception):
    """Base of all errors raised on purpose; the input or the usage is wrong.

    Attributes:
        exit_code: What the command line exits with.
    """

    exit_code: ClassVar[int] = 2

    def __reduce__(self) -> tuple[Any, ...]:
        """Let another process have it whole: its class takes other arguments than it holds."""
        return _restored, (type(self), self.args, vars(self))


def _restored(kind: type[Exception], args: tuple[Any, ...], data: dict[str, Any]) -> Exception:
    error = kind.__new__(kind, *args)
    vars(error).update(data)
    return error


class HarnessError(DriftgateError):
    """The harness itself failed; the run says nothing about the consumer."""

    exit_code: ClassVar[int] = 3


class InvalidDataError(DriftgateError, ValueError):
    """A data file cannot be used as it stands.

    Attributes:
        path: The file.
        problem: What is wrong with it.
        remedy: What to do about it.
    """

    def __init__(self, path: Path | str, problem: str, remedy: str) -> None:
        self.path = path
        self.problem = problem
        self.remedy = remedy
        super().__init__(f"{path}: {problem}; {remedy}")


class UnknownNameError(DriftgateError, LookupError):
    """A name on the command line or in a row names nothing.

    Attributes:
        kind: What was looked for, such as "release" or "contract".
        name: The name that was given.
        known: The names that exist.
    """

    def __init__(self, kind: str, name: str, known: tuple[str, ...]) -> None:
        self.kind = kind
        self.name = name
        self.known = known
        super().__init__(f"unknown {kind} {name!r}; {_among(name, known)}")


def _among(name: str, known: tuple[str, ...]) -> str:
    """Say which names exist: all of a few, of many those that are most like ``name``."""
    if len(known) <= _FEW:
        return f"known: {', '.join(known) or 'none'}"
    alike = get_close_matches(name, known, n=5)
    if not alike:
        return f"none of the {len(known)} known is like it"
    return f"like it, of {len(known)} known: {', '.join(alike)}"


class IndexUnavailableError(DriftgateError):
    """The package index that pip is configured with cannot answer.

    Attributes:
        where: The index, without credentials.
        problem: What went wrong.
    """

    def __init__(self, where: str, problem: str) -> None:
        self.where = where
        self.problem = problem
        super().__init__(f"{where}: {problem}; check pip's index settings and the network")


class DamagedArchiveError(DriftgateError):
    """A release's archive is not what the index says it is, or cannot be unpacked.

    Attributes:
        filename: The archive.
        problem: What is wrong with it.
    """

    def __init__(self, filename: str, problem: str) -> None:
        self.filename = filename
        self.problem = problem
        super().__init__(f"{filename}: damaged archive ({problem}); fetch it again")


class ResultsUnwritableError(DriftgateError):
    """A run's results cannot be written.

    Attributes:
        path: The file or the folder.
        problem: Why not.
    """

    def __init__(self, path: Path, problem: str) -> None:
        self.path = path
        self.problem = problem
        super().__init__(
            f"{path}: results cannot be written ({problem}); make room there, or run elsewhere"
        )


class RunInterruptedError(DriftgateError):
    """Someone ended a run before it was over.

    Attributes:
        path: The results that there are.
    """

    exit_code: ClassVar[int] = 130

    def __init__(self, path: Path) -> None:
        self.path = path
        super().__init__(f"interrupted; results so far: {path}")


class NotACheckoutError(DriftgateError):
    """The data would be written, and there is no checkout to write it into.

    Attributes:
        where: The folder that was searched upwards from.
    """

    def __init__(self, where: Path | str) -> None:
        self.where = where
        super().__init__(
            f"{where}: not in a checkout of driftgate (no matrix/target.toml here or above); "
            "run it in one"
        )
