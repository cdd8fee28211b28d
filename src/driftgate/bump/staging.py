"""A copy of the data to work on, and how it comes back: all of it or nothing."""

from __future__ import annotations

import shutil
import tempfile
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from driftgate.errors import DriftgateError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from driftgate.paths import Project

_FOLDERS = ("matrix", "stubs")
_FILES = ("pyproject.toml",)
_CACHES = "__pycache__"


class ChangedMeanwhileError(DriftgateError):
    """Somebody else has written a file that is to be written.

    Attributes:
        path: The file.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        super().__init__(f"{path}: changed since this run began; nothing was written, run it again")


class UnwritableError(DriftgateError):
    """A file cannot be written.

    Attributes:
        path: The file.
        problem: Why not.
    """

    def __init__(self, path: Path, problem: str) -> None:
        self.path = path
        self.problem = problem
        super().__init__(f"{path}: {problem}; nothing was written, mend that and run it again")


@dataclass(frozen=True)
class Stage:
    """A copy of a project's data.

    Attributes:
        copy: The copy, to be read and written; results go where they always do.
        origin: What it was copied from.
        before: What each file held when it was copied, by its path below the root.
    """

    copy: Project
    origin: Project
    before: Mapping[Path, bytes]


@contextmanager
def staged(project: Project) -> Iterator[Stage]:
    """Yield a copy of ``project``'s data in a temporary folder."""
    with tempfile.TemporaryDirectory(prefix="driftgate-") as folder:
        root = Path(folder)
        for name in _FOLDERS:
            ignored = shutil.ignore_patterns(_CACHES, ".*")
            shutil.copytree(project.root / name, root / name, ignore=ignored)
        for name in _FILES:
            if (project.root / name).is_file():
                shutil.copy2(project.root / name, root / name)
        before = {path: (root / path).read_bytes() for path in _files(root)}
        yield Stage(replace(project, root=root), project, before)


def changed_files(stage: Stage) -> list[Path]:
    """Return what is new or other in the copy, as paths below the root, in order."""
    root = stage.copy.root
    return [path for path in _files(root) if stage.before.get(path) != (root / path).read_bytes()]


def publish(stage: Stage) -> list[Path]:
    """Bring what changed back; where that fails, what was is put back in place.

    Returns:
        The files written, as paths below the root.

    Raises:
        ChangedMeanwhileError: One of them is not what was copied.
        UnwritableError: One cannot be written.
    """
    root = stage.origin.root
    paths = changed_files(stage)
    for path in paths:
        if _content(root / path) != stage.before.get(path):
            raise ChangedMeanwhileError(path)
    folders: list[Path] = []
    done: list[Path] = []
    try:
        for path in paths:
            done.append(path)
            folders += _make_folders(root / path)
            _put(root / path, (stage.copy.root / path).read_bytes())
    except BaseException as error:
        for path in done:
            _restore(root / path, stage.before.get(path))
        for folder in reversed(folders):
            folder.rmdir()
        if isinstance(error, OSError):
            raise UnwritableError(done[-1], (error.strerror or str(error)).lower()) from error
        raise
    return paths


def _files(root: Path) -> list[Path]:
    found = [root / name for name in _FILES]
    for name in _FOLDERS:
        found += (root / name).rglob("*")
    return sorted(
        file.relative_to(root) for file in found if file.is_file() and _CACHES not in file.parts
    )


def _content(file: Path) -> bytes | None:
    return file.read_bytes() if file.is_file() else None


def _make_folders(file: Path) -> list[Path]:
    """Make the folders that ``file`` needs; return those that were not there, outermost first."""
    missing = [folder for folder in file.parents if not folder.exists()][::-1]
    for folder in missing:
        folder.mkdir()
    return missing


def _put(file: Path, content: bytes) -> None:
    fresh = file.with_name(f".{file.name}.new")
    try:
        fresh.write_bytes(content)
        fresh.replace(file)
    finally:
        fresh.unlink(missing_ok=True)


def _restore(file: Path, content: bytes | None) -> None:
    if content is None:
        file.unlink(missing_ok=True)
    elif _content(file) != content:
        _put(file, content)
