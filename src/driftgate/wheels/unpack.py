"""Unpack the part of a wheel that matters, and refuse archives that mean harm.

Every name in the archive is looked at, also those that are not unpacked. Nothing but the
package and its metadata is written, so that the folder can be put on ``sys.path``.
"""

from __future__ import annotations

import stat
import zipfile
import zlib
from dataclasses import dataclass
from pathlib import PurePosixPath
from shutil import copyfileobj
from typing import TYPE_CHECKING

from driftgate.errors import DamagedArchiveError
from driftgate.wheels.errors import HostileArchiveError

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

_PACKAGE = "flashinfer"
_KERNEL_SOURCES = f"{_PACKAGE}/data/"
_METADATA = ".dist-info"
_ENCRYPTED = 0x1
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)


@dataclass(frozen=True)
class Limits:
    """What an archive may ask for; some six times what the largest release does.

    Attributes:
        entries: Files and folders.
        total_bytes: Their size when unpacked.
    """

    entries: int = 100_000
    total_bytes: int = 4 << 30


def is_wanted(name: str) -> bool:
    """Whether the store keeps this entry: the package without kernel sources, and metadata."""
    first, _, rest = name.partition("/")
    if first.endswith(_METADATA):
        return bool(rest)
    return first == _PACKAGE and not name.startswith(_KERNEL_SOURCES)


def check_entries(filename: str, entries: Iterable[zipfile.ZipInfo], limits: Limits) -> None:
    """Refuse an archive whose directory shows that it means harm.

    Raises:
        HostileArchiveError: See the problem.
    """
    seen: set[str] = set()
    total = 0
    for count, entry in enumerate(entries, start=1):
        problem = _problem(entry)
        if problem is None and entry.filename in seen:
            problem = f"{entry.filename!r} occurs twice"
        total += entry.file_size
        if total > limits.total_bytes:
            problem = f"it unpacks to more than {limits.total_bytes >> 20} MiB"
        if count > limits.entries:
            problem = f"it has more than {limits.entries} entries"
        if problem is not None:
            raise HostileArchiveError(filename, problem)
        seen.add(entry.filename)


def _problem(entry: zipfile.ZipInfo) -> str | None:  # noqa: PLR0911 - one return a rule
    name = entry.orig_filename
    kind = stat.S_IFMT(entry.external_attr >> 16)
    if not name.isprintable() or "\\" in name or ":" in name.partition("/")[0]:
        return f"{name!r} is no portable name"
    if name.startswith("/"):
        return f"{name!r} is an absolute path"
    if ".." in PurePosixPath(name).parts:
        return f"{name!r} leaves its folder"
    if kind not in (0, stat.S_IFREG, stat.S_IFDIR):
        return f"{name!r} is a link or a device"
    if entry.flag_bits & _ENCRYPTED:
        return f"{name!r} is encrypted"
    if entry.compress_type not in _METHODS:
        return f"{name!r} is compressed in a way that wheels do not use"
    return None


def unpack(wheel: Path, filename: str, into: Path, limits: Limits | None = None) -> int:
    """Unpack the wanted part of ``wheel`` into the empty folder ``into``.

    zipfile compares each file with the size and the CRC that the archive gives for it.

    Args:
        wheel: The archive.
        filename: Its name on the index, for messages.
        into: An empty folder.
        limits: What the archive may ask for.

    Returns:
        Bytes written.

    Raises:
        HostileArchiveError: The archive means harm.
        DamagedArchiveError: It cannot be unpacked, or holds no ``flashinfer``.
    """
    written = 0
    try:
        with zipfile.ZipFile(wheel) as archive:
            check_entries(filename, archive.infolist(), limits or Limits())
            for entry in archive.infolist():
                if entry.is_dir() or not is_wanted(entry.filename):
                    continue
                target = into / entry.filename
                target.parent.mkdir(parents=True, exist_ok=True)
                with archive.open(entry) as source, target.open("xb") as file:
                    copyfileobj(source, file)
                written += entry.file_size
    except (FileExistsError, NotADirectoryError, IsADirectoryError) as error:
        problem = "a name is both a file and a folder"
        raise HostileArchiveError(filename, problem) from error
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError) as error:
        raise DamagedArchiveError(filename, str(error) or type(error).__name__) from error
    if not (into / _PACKAGE / "comm").is_dir():
        raise DamagedArchiveError(filename, "no flashinfer/comm in it")
    return written
