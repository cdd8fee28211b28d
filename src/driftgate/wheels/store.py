"""The wheel store: releases unpacked once in a cache folder, for use without a network.

Safe when several runs share it: a release is made under a lock of its own, beside its place, and
moved there in one step. A release that is there is whole.
"""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import tempfile
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING

from packaging.version import InvalidVersion, Version

from driftgate.wheels.errors import StoreUnwritableError, WheelMissingError
from driftgate.wheels.record import ENTRY

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

CACHE_VARIABLE = "DRIFTGATE_CACHE"
_LOCKS = ".locks"
_MAKING = ".making-"


class Verified(str, Enum):
    """What the unpacked files were checked against."""

    PINNED = "pinned sha256"
    INDEX = "the index's sha256"
    RECORD = "the wheel's RECORD"


@dataclass(frozen=True)
class Entry:
    """One release in the store.

    Attributes:
        version: The release.
        filename: The wheel that it was unpacked from.
        sha256: The wheel's hash; where only a part of it was fetched, as the index says.
        verified: What was checked.
        downloaded: Bytes that were fetched.
        unpacked: Bytes on disk.
    """

    version: str
    filename: str
    sha256: str
    verified: Verified
    downloaded: int
    unpacked: int


def cache_folder(environ: Mapping[str, str] = os.environ) -> Path:
    """Return where the store lies: ``DRIFTGATE_CACHE``, or ``driftgate`` in the user's cache."""
    given = environ.get(CACHE_VARIABLE)
    if given:
        return Path(given).expanduser()
    base = environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "driftgate"


class WheelStore:
    """The releases below one cache folder.

    Args:
        cache: The cache folder; made when first written to.
    """

    def __init__(self, cache: Path) -> None:
        self.root = cache / "wheels"

    def entries(self) -> list[Entry]:
        """What is there, oldest release first."""
        found = [self.get(name) for name in self._names()]
        return sorted((entry for entry in found if entry), key=lambda entry: Version(entry.version))

    def damaged(self) -> list[str]:
        """Names of the folders that say nowhere, or not readably, what they hold."""
        return sorted(name for name in self._names() if self.get(name) is None)

    def get(self, version: str) -> Entry | None:
        """One release, or None if it is not there."""
        try:
            text = (self._place(version) / ENTRY).read_text(encoding="utf-8")
            fields = json.loads(text)
            Version(fields["version"])
            return Entry(**{**fields, "verified": Verified(fields["verified"])})
        except (OSError, ValueError, TypeError, KeyError, InvalidVersion):
            return None

    def folder(self, version: str) -> Path:
        """The folder that holds a release's ``flashinfer`` package.

        Raises:
            WheelMissingError: It is not in the store.
        """
        if self.get(version) is None:
            remedy = f"run `driftgate wheels fetch {version}`"
            raise WheelMissingError(version, "not in the wheel store", remedy)
        return self._place(version)

    def add(self, version: str, make: Callable[[Path], Entry], *, replace: bool = False) -> Entry:
        """Return a release's entry, making it if it is not there.

        Args:
            version: The release.
            make: Fills an empty folder and says with what. Called under the release's lock.
            replace: Make it even if it is there.

        Raises:
            StoreUnwritableError: The cache folder cannot be written.
        """
        with self._lock(version):
            known = self.get(version)
            if known is not None and not replace:
                return known
            fresh = Path(tempfile.mkdtemp(prefix=f"{_MAKING}{version}-", dir=self.root))
            try:
                entry = make(fresh)
                text = json.dumps(asdict(entry), indent=1, sort_keys=True)
                (fresh / ENTRY).write_text(text + "\n", encoding="utf-8")
                fresh.chmod(0o755)
                self._discard(version)
                fresh.rename(self._place(version))
            except OSError as error:
                problem = (error.strerror or type(error).__name__).lower()
                raise StoreUnwritableError(self.root, problem) from error
            finally:
                shutil.rmtree(fresh, ignore_errors=True)
            return entry

    def remove(self, version: str) -> None:
        """Remove a release, waiting for a run that is making it."""
        with self._lock(version):
            self._discard(version)

    def sweep(self) -> int:
        """Remove what runs that died left behind, and what is damaged; return how many folders."""
        swept = 0
        if not self.root.is_dir():
            return swept
        for path in self.root.glob(f"{_MAKING}*"):
            version = path.name.removeprefix(_MAKING).rpartition("-")[0]
            with self._lock(version):
                # Whoever made it had the lock; now that it is ours, nobody does.
                shutil.rmtree(path, ignore_errors=True)
                swept += 1
        for name in self.damaged():
            with self._lock(name):
                if self.get(name) is None:  # nobody has made it anew meanwhile
                    self._discard(name)
                    swept += 1
        return swept

    def _names(self) -> list[str]:
        if not self.root.is_dir():
            return []
        return [
            path.name
            for path in self.root.iterdir()
            if path.is_dir() and not path.name.startswith(".")
        ]

    def _place(self, version: str) -> Path:
        return self.root / version

    def _discard(self, version: str) -> None:
        place = self._place(version)
        if place.exists():
            # Away in one step: a reader sees all of it or nothing.
            away = Path(tempfile.mkdtemp(prefix=f"{_MAKING}{version}-", dir=self.root))
            place.rename(away / "old")
            shutil.rmtree(away, ignore_errors=True)

    @contextmanager
    def _lock(self, version: str) -> Iterator[None]:
        folder = self.root / _LOCKS
        try:
            folder.mkdir(parents=True, exist_ok=True)
            file = (folder / f"{version}.lock").open("w")
        except OSError as error:
            problem = (error.strerror or type(error).__name__).lower()
            raise StoreUnwritableError(self.root, problem) from error
        with file:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield
