"""The source files that a consumer's name on the command line spells."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from packaging.version import InvalidVersion, Version

from driftgate.calls.model import Source
from driftgate.consumers import OURS, find_consumer
from driftgate.errors import InvalidDataError, UnknownNameError
from driftgate.released.fetch import fetch_consumer
from driftgate.released.rows import load_consumer_rows

if TYPE_CHECKING:
    from driftgate.index.settings import IndexSettings

_FILE = "file:"
_EXACTLY = "=="


@dataclass(frozen=True)
class ConsumerSources:
    """A consumer, as text.

    Attributes:
        name: As spelled.
        files: Its files that may call the upstream.
        pinned: The FlashInfer release that it pins, or empty.
    """

    name: str
    files: tuple[Source, ...]
    pinned: str = ""


def find_sources(name: str, matrix: Path, cache: Path, settings: IndexSettings) -> ConsumerSources:
    """Return the files of ``ours``, ``file:PATH``, or a release such as ``sglang==0.5.23``.

    Args:
        name: As spelled.
        matrix: The folder with the consumer rows.
        cache: Where fetched files are kept.
        settings: The index to ask for what is not.

    Raises:
        UnknownNameError: It spells no consumer.
        InvalidDataError: A file cannot be read as text.
        DriftgateError: A release cannot be had; see :func:`fetch_consumer`.
    """
    if name == OURS:
        root = find_consumer(name).root
        files = sorted(root.rglob("*.py"))
        return ConsumerSources(
            name, tuple(Source(_shown(file, root.parent), _read(file)) for file in files)
        )
    if name.startswith(_FILE):
        file = Path(find_consumer(name).source)
        return ConsumerSources(name, (Source(_shown(file, Path.cwd()), _read(file)),))
    rows = load_consumer_rows(matrix)
    project, exactly, version = name.partition(_EXACTLY)
    row = rows.get(project)
    if row is None or not exactly:
        known = (OURS, f"{_FILE}PATH", *(f"{known}{_EXACTLY}VERSION" for known in rows))
        raise UnknownNameError("consumer", name, known)
    release = _normalised(project, version)
    found = fetch_consumer(row, release, cache, settings)
    pinned = row.pins.get(release) or found.pinned()
    return ConsumerSources(f"{project}{_EXACTLY}{release}", found.files, pinned)


def _normalised(project: str, version: str) -> str:
    try:
        return str(Version(version))
    except InvalidVersion as error:
        raise UnknownNameError(f"release of {project}", version, ("versions, as 1.2.3",)) from error


def _shown(file: Path, base: Path) -> str:
    return (file.relative_to(base) if file.is_relative_to(base) else file).as_posix()


def _read(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidDataError(file, f"cannot be read ({error})", "give a Python file") from error
