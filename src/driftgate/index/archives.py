"""Read single files out of a release's archive, fetching as little of it as can be."""

from __future__ import annotations

import hashlib
import io
import tarfile
import zipfile
import zlib
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import requests
from remotezip import RemoteZip, RemoteZipError

from driftgate.errors import DamagedArchiveError, IndexUnavailableError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from driftgate.index.listing import Archive

# What is read first of a remote wheel: enough for the record that says where its list of files
# is. That list is mostly longer than the usual guess, and then fetched on its own.
_TAIL_BYTES = 1024


class Release(Protocol):
    """An opened archive.

    Attributes:
        sha256: The archive's hash: computed where all of it was read, else what the index says.
        size: The archive's length in bytes.
    """

    sha256: str
    size: int

    def read(self, path: str) -> str | None:
        """Return the text at ``path`` below the import root, or None if it is not there."""

    def names(self) -> tuple[str, ...]:
        """Return the paths of all files below the import root, sorted."""

    def metadata(self) -> str:
        """Return the text of the core metadata file."""


@contextmanager
def open_archive(archive: Archive, session: requests.Session) -> Iterator[Release]:
    """Open ``archive``: a wheel by ranged requests where the server allows, else as a whole.

    Raises:
        DamagedArchiveError: Its hash is not what the index says, or it cannot be unpacked;
            raised by reads in the body too.
        IndexUnavailableError: It cannot be fetched.
    """
    try:
        if archive.kind == "wheel" and not archive.is_local:
            with _remote_wheel(archive, session) as remote:
                if remote is not None:
                    yield remote
                    return
        data = _whole(archive, session)
        digest = hashlib.sha256(data).hexdigest()
        if archive.sha256 not in ("", digest):
            problem = f"sha256 {digest[:12]}…, the index says {archive.sha256[:12]}…"
            raise DamagedArchiveError(archive.filename, problem)
        if archive.kind == "wheel":
            with zipfile.ZipFile(io.BytesIO(data)) as wheel:
                yield _Wheel(wheel, digest, len(data))
        else:
            with tarfile.open(fileobj=io.BytesIO(data), mode="r:gz") as source:
                yield _Source(source, digest, len(data))
    except (
        zipfile.BadZipFile,
        tarfile.TarError,
        zlib.error,
        EOFError,
        UnicodeDecodeError,
    ) as error:
        raise DamagedArchiveError(archive.filename, str(error) or type(error).__name__) from error
    except (RemoteZipError, requests.RequestException) as error:
        raise IndexUnavailableError(archive.filename, type(error).__name__) from error


@contextmanager
def _remote_wheel(archive: Archive, session: requests.Session) -> Iterator[Release | None]:
    """Yield the wheel read by ranges, or None where ranges are not served."""
    try:
        remote = RemoteZip(archive.url, session=session, initial_buffer_size=_TAIL_BYTES)
    except RemoteZipError:
        yield None
        return
    with remote:
        size = archive.size
        if size is None:
            answer = session.head(archive.url, allow_redirects=True)
            size = int(answer.headers.get("Content-Length", 0))
        yield _Wheel(remote, archive.sha256, size)


def _whole(archive: Archive, session: requests.Session) -> bytes:
    if archive.is_local:
        try:
            return Path(archive.url).read_bytes()
        except OSError as error:
            raise DamagedArchiveError(archive.filename, error.strerror or "unreadable") from error
    response = session.get(archive.url)
    response.raise_for_status()
    return response.content


class _Wheel:
    def __init__(self, wheel: zipfile.ZipFile, sha256: str, size: int) -> None:
        self.sha256 = sha256
        self.size = size
        self._wheel = wheel
        self._names = set(wheel.namelist())

    def read(self, path: str) -> str | None:
        if path not in self._names:
            return None
        return self._wheel.read(path).decode("utf-8")

    def names(self) -> tuple[str, ...]:
        return tuple(sorted(self._names))

    def metadata(self) -> str:
        for name in sorted(self._names):
            folder, _, file = name.partition("/")
            if folder.endswith(".dist-info") and file == "METADATA":
                return self._wheel.read(name).decode("utf-8")
        raise zipfile.BadZipFile("no METADATA")


class _Source:
    def __init__(self, source: tarfile.TarFile, sha256: str, size: int) -> None:
        self.sha256 = sha256
        self.size = size
        self._source = source
        self._files = {
            member.name.partition("/")[2]: member for member in source if member.isfile()
        }

    def read(self, path: str) -> str | None:
        member = self._files.get(path)
        file = self._source.extractfile(member) if member else None
        return file.read().decode("utf-8") if file else None

    def names(self) -> tuple[str, ...]:
        return tuple(sorted(self._files))

    def metadata(self) -> str:
        text = self.read("PKG-INFO")
        if text is None:
            raise tarfile.TarError("no PKG-INFO")
        return text
