"""Fetch a wheel without its kernel sources: half of its bytes, in a few ranged requests.

The wanted ranges are put where they belong in a file with holes, which is a readable archive as
long as only the wanted entries are read. The archive's own hash cannot be checked then; instead
each file is compared with the hash that the wheel's RECORD gives for it, and RECORD by its CRC.
"""

from __future__ import annotations

import struct
import zipfile
from dataclasses import dataclass
from typing import TYPE_CHECKING, BinaryIO

from driftgate.errors import DamagedArchiveError
from driftgate.wheels.record import damaged_file
from driftgate.wheels.unpack import is_wanted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    import requests

_END_SIGNATURE = b"PK\x05\x06"
_END_SIZE = 22
# An archive's end record may be followed by a comment of up to 64 KiB.
_TAIL = _END_SIZE + 0xFFFF
_CHUNK = 1 << 18
# A gap that is cheaper to fetch than to skip with a further request.
_GAP = 1 << 16
_PARTIAL_CONTENT = 206


def fetch_lean(
    url: str, size: int, session: requests.Session, target: Path, advance: Callable[[int], None]
) -> bool:
    """Fetch the wanted ranges of the wheel at ``url`` into ``target``.

    Args:
        url: The wheel.
        size: Its bytes.
        session: What to fetch with.
        target: The file to make, ``size`` bytes long with holes.
        advance: Called with the bytes that arrived.

    Returns:
        Whether it worked; false where the server serves no ranges or the archive is of a kind
        that needs more than an end record to be found.

    Raises:
        requests.RequestException: The index cannot be reached.
        zipfile.BadZipFile: It is not an archive.
    """
    with target.open("w+b") as file:
        file.truncate(size)
        parts = _Parts(url, session, file, advance)
        tail_start = max(0, size - _TAIL)
        if not parts.fetch(tail_start, size):
            return False
        file.seek(tail_start)
        tail = file.read()
        end = tail.rfind(_END_SIGNATURE)
        if end < 0 or len(tail) < end + _END_SIZE:
            raise zipfile.BadZipFile("no end of archive")
        length, start = struct.unpack_from("<II", tail, end + 12)
        if start + length > tail_start + end:
            return False
        parts.fetch(start, min(tail_start, start + length))
        file.flush()
        with zipfile.ZipFile(target) as archive:
            runs = list(_runs(archive.infolist(), start))
        for first, last in runs:
            parts.fetch(first, last)
    return True


@dataclass(frozen=True)
class _Parts:
    """Puts ranges of a remote file where they belong in a local one."""

    url: str
    session: requests.Session
    file: BinaryIO
    advance: Callable[[int], None]

    def fetch(self, start: int, stop: int) -> bool:
        """Fetch one range; return whether the server serves ranges."""
        if start >= stop:
            return True
        headers = {"Range": f"bytes={start}-{stop - 1}", "Accept-Encoding": "identity"}
        with self.session.get(self.url, headers=headers, stream=True) as response:
            response.raise_for_status()
            if response.status_code != _PARTIAL_CONTENT:
                return False
            self.file.seek(start)
            for chunk in response.iter_content(_CHUNK):
                self.file.write(chunk)
                self.advance(len(chunk))
        return True


def _runs(entries: list[zipfile.ZipInfo], end: int) -> Iterator[tuple[int, int]]:
    """The byte ranges of the wanted entries, neighbours joined."""
    ordered = sorted(entries, key=lambda entry: entry.header_offset)
    stops = [entry.header_offset for entry in ordered[1:]] + [end]
    run: tuple[int, int] | None = None
    for entry, stop in zip(ordered, stops, strict=True):
        if not is_wanted(entry.filename):
            continue
        if run is not None and entry.header_offset - run[1] <= _GAP:
            run = (run[0], stop)
            continue
        if run is not None:
            yield run
        run = (entry.header_offset, stop)
    if run is not None:
        yield run


def check_record(folder: Path, filename: str) -> None:
    """Compare every unpacked file with the hash that the wheel's RECORD gives for it.

    Raises:
        DamagedArchiveError: A file differs or is missing, or RECORD does not list it.
    """
    file = damaged_file(folder)
    if file:
        raise DamagedArchiveError(filename, f"{file} is not as its RECORD says")
