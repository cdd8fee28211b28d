from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest
import requests

from driftgate.errors import DamagedArchiveError, IndexUnavailableError
from driftgate.index.listing import Archive
from driftgate.wheels.errors import ReuploadedError, WheelMissingError
from driftgate.wheels.fetch import fetch_wheel
from driftgate.wheels.store import Entry, Verified, WheelStore

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    MakeWheel = Callable[..., Path]
    Serve = Callable[..., str]

BIG = {
    "flashinfer/__init__.py": b"",
    "flashinfer/comm/__init__.py": b"answer = 42\n",
    # Random, so that it stays as large in the archive.
    "flashinfer/data/kernel.cu": os.urandom(500_000),
    "flashinfer/utils.py": b"# beyond the kernel sources\n",
    "flashinfer_python-1.0.dist-info/METADATA": b"Name: flashinfer-python\nVersion: 1.0\n",
}


@dataclass(frozen=True)
class Row:
    filename: str
    sha256: str


class Counter:
    def __init__(self) -> None:
        self.arrived = 0

    def start(self, filename: str, total: int | None) -> None:
        pass

    def advance(self, count: int) -> None:
        self.arrived += count


def _sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _archive(wheel: Path, url: str = "", **changes: object) -> Archive:
    fields = {"sha256": _sha256(wheel), "size": wheel.stat().st_size, **changes}
    return Archive(wheel.name, "1.0", "wheel", url or str(wheel), **fields)  # type: ignore[arg-type]


def _fetch(
    store: WheelStore,
    archive: Archive | None,
    *,
    pinned: Row | None = None,
    lean: bool = False,
    progress: Counter | None = None,
) -> Entry:
    offered: Mapping[str, Archive] = {} if archive is None else {"1.0": archive}
    with requests.Session() as session:
        return fetch_wheel(
            "1.0",
            store,
            lambda: offered,
            session,
            pinned=pinned,
            progress=progress or Counter(),
            lean=lean,
        )


def test_a_wheel_is_checked_against_the_recorded_hash(
    make_wheel: MakeWheel, tmp_path: Path
) -> None:
    """The entry says so, and its files can be imported from."""
    wheel, store = make_wheel(), WheelStore(tmp_path)

    entry = _fetch(store, _archive(wheel), pinned=Row(wheel.name, _sha256(wheel)))

    assert entry.verified is Verified.PINNED
    assert entry.downloaded == wheel.stat().st_size
    comm = store.folder("1.0") / "flashinfer" / "comm" / "__init__.py"
    assert comm.read_bytes() == b"answer = 42\n"


def test_what_is_there_needs_no_index(make_wheel: MakeWheel, tmp_path: Path) -> None:
    """Offline, the index is not asked."""
    wheel, store = make_wheel(), WheelStore(tmp_path)
    row = Row(wheel.name, _sha256(wheel))
    entry = _fetch(store, _archive(wheel), pinned=row)

    with requests.Session() as session:
        again = fetch_wheel(
            "1.0",
            store,
            lambda: pytest.fail("asked the index"),
            session,
            pinned=row,
            progress=Counter(),
        )

    assert again == entry


def test_an_unrecorded_release_is_checked_against_the_index(
    make_wheel: MakeWheel, tmp_path: Path
) -> None:
    """That is less, and the entry does not hide it."""
    assert _fetch(WheelStore(tmp_path), _archive(make_wheel())).verified is Verified.INDEX


@pytest.mark.parametrize("known_to_the_index", [True, False])
def test_other_bytes_under_a_recorded_name_are_named_as_such(
    make_wheel: MakeWheel, tmp_path: Path, *, known_to_the_index: bool
) -> None:
    """Whether the index says the hash, or a folder of wheels does not."""
    wheel, store = make_wheel(), WheelStore(tmp_path)
    archive = _archive(wheel) if known_to_the_index else _archive(wheel, sha256="")

    with pytest.raises(ReuploadedError, match="re-uploaded with other bytes"):
        _fetch(store, archive, pinned=Row(wheel.name, "f" * 64))

    assert store.entries() == []


def test_a_stored_wheel_is_compared_with_a_row_that_changed(
    make_wheel: MakeWheel, tmp_path: Path
) -> None:
    """The store does not outlive the record."""
    wheel, store = make_wheel(), WheelStore(tmp_path)
    _fetch(store, _archive(wheel), pinned=Row(wheel.name, _sha256(wheel)))

    with pytest.raises(ReuploadedError):
        _fetch(store, _archive(wheel), pinned=Row(wheel.name, "f" * 64))


def test_a_download_that_is_not_what_the_index_says_is_damaged(
    make_wheel: MakeWheel, tmp_path: Path
) -> None:
    """The index and the record agree; the bytes do not."""
    wheel = make_wheel()
    recorded = _sha256(wheel)
    archive = _archive(wheel)
    wheel.write_bytes(wheel.read_bytes()[:-1] + b"!")

    with pytest.raises(DamagedArchiveError, match="expected"):
        _fetch(WheelStore(tmp_path), archive, pinned=Row(wheel.name, recorded))


def test_a_release_without_a_wheel_is_missing(tmp_path: Path) -> None:
    """The index lists nothing of it."""
    with pytest.raises(WheelMissingError, match="no wheel"):
        _fetch(WheelStore(tmp_path), None)


def test_lean_leaves_the_kernel_sources_on_the_server(
    make_wheel: MakeWheel, serve: Serve, tmp_path: Path
) -> None:
    """Of 500,000 bytes of them none is fetched; all else is, from both sides of them.

    The server sends 64 KiB of the archive's tail, a part of which belongs to them.
    """
    wheel, store, counter = make_wheel(BIG), WheelStore(tmp_path), Counter()
    archive = _archive(wheel, f"{serve()}/{wheel.name}")

    entry = _fetch(store, archive, lean=True, progress=counter)

    assert entry.verified is Verified.RECORD
    assert counter.arrived == entry.downloaded
    assert entry.downloaded < 80_000
    package = store.folder("1.0") / "flashinfer"
    assert (package / "comm" / "__init__.py").read_bytes() == b"answer = 42\n"
    assert (package / "utils.py").read_bytes() == b"# beyond the kernel sources\n"
    assert not (package / "data").exists()


def test_lean_without_ranges_fetches_all(
    make_wheel: MakeWheel, serve: Serve, tmp_path: Path
) -> None:
    """Then the whole wheel's hash is what is checked."""
    wheel = make_wheel(BIG)
    archive = _archive(wheel, f"{serve(ranges=False)}/{wheel.name}")

    assert _fetch(WheelStore(tmp_path), archive, lean=True).verified is Verified.INDEX


def test_lean_compares_each_file_with_its_record(
    make_wheel: MakeWheel, serve: Serve, tmp_path: Path
) -> None:
    """A file that RECORD knows otherwise is damage."""
    wheel = make_wheel(BIG, record={**BIG, "flashinfer/utils.py": b"# something else\n"})
    archive = _archive(wheel, f"{serve()}/{wheel.name}")

    with pytest.raises(DamagedArchiveError, match=r"flashinfer/utils\.py is not as its RECORD"):
        _fetch(WheelStore(tmp_path), archive, lean=True)


def test_a_whole_fetch_replaces_a_lean_one(
    make_wheel: MakeWheel, serve: Serve, tmp_path: Path
) -> None:
    """Asked for the stronger check, the store does it."""
    wheel, store = make_wheel(BIG), WheelStore(tmp_path)
    archive = _archive(wheel, f"{serve()}/{wheel.name}")
    row = Row(wheel.name, _sha256(wheel))
    _fetch(store, archive, pinned=row, lean=True)

    assert _fetch(store, archive, pinned=row).verified is Verified.PINNED


@pytest.mark.parametrize("lean", [True, False])
def test_a_server_that_is_gone_is_said_in_one_line(
    make_wheel: MakeWheel, tmp_path: Path, *, lean: bool
) -> None:
    """No traceback of the HTTP library reaches the user."""
    wheel = make_wheel()
    archive = _archive(wheel, f"http://127.0.0.1:9/{wheel.name}")

    with pytest.raises(IndexUnavailableError, match="ConnectionError"):
        _fetch(WheelStore(tmp_path), archive, lean=lean)
