"""Catch what is logged or printed, line by line."""

from __future__ import annotations

import contextlib
import io
import logging
from typing import TYPE_CHECKING

from driftgate.trace import LogLine

if TYPE_CHECKING:
    from collections.abc import Iterator


class Recorder(logging.Handler):
    """A root handler, and a stand-in for stdout, that keep their lines until taken."""

    def __init__(self) -> None:
        super().__init__()
        self._lines: list[LogLine] = []
        self.stdout = _Lines(self._lines)

    def emit(self, record: logging.LogRecord) -> None:
        """Keep one record."""
        self._lines.append(LogLine(record.name, record.levelname, record.getMessage()))

    def take(self) -> tuple[LogLine, ...]:
        """Return the lines since the last call."""
        lines = tuple(self._lines)
        self._lines.clear()
        return lines

    @contextlib.contextmanager
    def installed(self) -> Iterator[None]:
        """Record everything from INFO upwards, and prints."""
        root = logging.getLogger()
        root.addHandler(self)
        root.setLevel(logging.INFO)
        with contextlib.redirect_stdout(self.stdout):
            yield
        root.removeHandler(self)


class _Lines(io.TextIOBase):
    """A text stream whose finished lines are log lines of the logger ``stdout``."""

    def __init__(self, lines: list[LogLine]) -> None:
        self._lines = lines
        self._partial = ""

    def write(self, text: str) -> int:
        *finished, self._partial = (self._partial + text).split("\n")
        self._lines.extend(LogLine("stdout", "PRINT", line) for line in finished)
        return len(text)
