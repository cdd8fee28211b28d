"""Fetch a release's wheel from the index that pip is configured with, into the store."""

from __future__ import annotations

import hashlib
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import requests

from driftgate.errors import DamagedArchiveError, IndexUnavailableError
from driftgate.wheels.errors import ReuploadedError, WheelMissingError
from driftgate.wheels.lean import check_record, fetch_lean
from driftgate.wheels.record import damaged_file
from driftgate.wheels.store import Entry, Verified
from driftgate.wheels.unpack import unpack

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from driftgate.index.listing import Archive
    from driftgate.wheels.store import WheelStore

_CHUNK = 1 << 18
# No entry that is unpacked can have this name.
_WHEEL = ".wheel"


class Pinned(Protocol):
    """What a row of ``matrix/releases.toml`` says of a release."""

    @property
    def filename(self) -> str:
        """The archive's name."""

    @property
    def sha256(self) -> str:
        """The archive's hash."""


class Progress(Protocol):
    """Told how a download goes."""

    def start(self, filename: str, total: int | None) -> None:
        """A download begins; ``total`` is the wheel's size where it is known."""

    def advance(self, count: int) -> None:
        """``count`` bytes arrived."""


def fetch_wheel(  # noqa: PLR0913 - each is a thing apart
    version: str,
    store: WheelStore,
    archives: Callable[[], Mapping[str, Archive]],
    session: requests.Session,
    *,
    pinned: Pinned | None,
    progress: Progress,
    lean: bool = False,
) -> Entry:
    """Return a release's entry, fetching the wheel if the store does not have it, or damaged.

    Args:
        version: The release.
        store: The store.
        archives: Lists what the index offers; not called where the store has the release whole.
        session: What to fetch with.
        pinned: The recorded row, or None for a release that is not recorded yet.
        progress: Told how it goes.
        lean: Fetch without the kernel sources; the files are then checked against the wheel's
            own RECORD, and the archive's hash only as far as the index says it.

    Raises:
        WheelMissingError: The index has no wheel of it.
        ReuploadedError: The index has other bytes than were recorded.
        DamagedArchiveError: What arrived is not what the index says, or no wheel.
        HostileArchiveError: The wheel means harm.
        IndexUnavailableError: It cannot be fetched.
        StoreUnwritableError: The store cannot be written.
    """
    known = store.get(version)
    sufficient = known is not None and (lean or known.verified is not Verified.RECORD)
    if known is not None and sufficient and not damaged_file(store.folder(version)):
        _require_recorded(known.filename, known.sha256, pinned)
        return known
    archive = _find(version, archives(), pinned)

    def make(folder: Path) -> Entry:
        wheel = folder / _WHEEL
        try:
            verified, count = _download(archive, session, wheel, progress, pinned, lean=lean)
            written = unpack(wheel, archive.filename, folder)
            wheel.unlink()
            if verified is Verified.RECORD:
                check_record(folder, archive.filename)
        except zipfile.BadZipFile as error:
            raise DamagedArchiveError(archive.filename, str(error)) from error
        except requests.RequestException as error:
            raise IndexUnavailableError(archive.filename, type(error).__name__) from error
        sha256 = pinned.sha256 if pinned else archive.sha256
        return Entry(version, archive.filename, sha256, verified, count, written)

    return store.add(version, make, replace=known is not None)


def _find(version: str, offered: Mapping[str, Archive], pinned: Pinned | None) -> Archive:
    archive = offered.get(version)
    if archive is None or archive.kind != "wheel":
        problem = "the index has no wheel of it"
        raise WheelMissingError(version, problem, "see `pip index versions flashinfer-python`")
    _require_recorded(archive.filename, archive.sha256, pinned)
    return archive


def _require_recorded(filename: str, sha256: str, pinned: Pinned | None) -> None:
    # An index or folder may give no hash; then the bytes are hashed when they arrive.
    if pinned is not None and sha256 not in ("", pinned.sha256):
        raise ReuploadedError(filename, pinned.sha256, sha256)


def _download(  # noqa: PLR0913 - see fetch_wheel
    archive: Archive,
    session: requests.Session,
    target: Path,
    progress: Progress,
    pinned: Pinned | None,
    *,
    lean: bool,
) -> tuple[Verified, int]:
    """Put the wheel at ``target``; return what was verified and the bytes that arrived."""
    progress.start(archive.filename, archive.size)
    arrived = 0

    def advance(count: int) -> None:
        nonlocal arrived
        arrived += count
        progress.advance(count)

    if lean and not archive.is_local:
        size = archive.size or _size(archive, session)
        if size and fetch_lean(archive.url, size, session, target, advance):
            return Verified.RECORD, arrived
    digest = hashlib.sha256()
    with target.open("wb") as file:
        for chunk in _chunks(archive, session):
            digest.update(chunk)
            file.write(chunk)
            advance(len(chunk))
    expected = archive.sha256 or (pinned.sha256 if pinned else "")
    got = digest.hexdigest()
    if expected not in ("", got):
        if not archive.sha256 and pinned is not None:
            raise ReuploadedError(archive.filename, pinned.sha256, got)
        problem = f"sha256 {got[:12]}…, expected {expected[:12]}…"
        raise DamagedArchiveError(archive.filename, problem)
    return (Verified.PINNED if pinned else Verified.INDEX), arrived


def _chunks(archive: Archive, session: requests.Session) -> Iterator[bytes]:
    if archive.is_local:
        try:
            with Path(archive.url).open("rb") as file:
                while chunk := file.read(_CHUNK):
                    yield chunk
        except OSError as error:
            raise DamagedArchiveError(archive.filename, error.strerror or "unreadable") from error
        return
    with session.get(archive.url, stream=True) as response:
        response.raise_for_status()
        yield from response.iter_content(_CHUNK)


def _size(archive: Archive, session: requests.Session) -> int:
    response = session.head(archive.url, allow_redirects=True)
    response.raise_for_status()
    return int(response.headers.get("Content-Length", 0))
