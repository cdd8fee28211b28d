from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import pytest

from driftgate.errors import DamagedArchiveError, IndexUnavailableError
from driftgate.index.archives import open_archive
from driftgate.index.listing import Archive, list_archives
from driftgate.index.session import CountingSession
from driftgate.index.settings import IndexSettings
from index.upstream import Served, sdist, serve, wheel, wheel_name, write_folder

if TYPE_CHECKING:
    from pathlib import Path

SOURCE = "def f(): ...\n"
SDIST = "pkg_python-1.0.tar.gz"


def _read(served: Served) -> tuple[str | None, int, str]:
    """The module's text, the bytes fetched for it, and the archive's hash."""
    with CountingSession(served.settings) as session:
        [archive] = list_archives("pkg-python", served.settings, session).values()
        session.bytes_fetched = 0
        with open_archive(archive, session) as release:
            assert "Requires-Dist: torch" in release.metadata()
            assert release.read("pkg/gone.py") is None
            return release.read("pkg/__init__.py"), session.bytes_fetched, release.sha256


def test_a_wheel_is_read_in_parts() -> None:
    """Of a 2 MB wheel less than 5% is fetched."""
    data = wheel("1.0", SOURCE, ballast=2_000_000)
    with serve(Served({wheel_name("1.0"): data})) as served:
        text, fetched, sha256 = _read(served)

    assert text == SOURCE
    assert 0 < fetched < 0.05 * len(data)
    assert sha256 == hashlib.sha256(data).hexdigest()


def test_a_wheel_whose_length_is_not_announced_is_asked_for_it() -> None:
    """Plain HTML indexes give no sizes."""
    data = wheel("1.0", SOURCE)
    with (
        serve(Served({wheel_name("1.0"): data}, sizes=False)) as served,
        CountingSession(served.settings) as session,
    ):
        [archive] = list_archives("pkg-python", served.settings, session).values()
        with open_archive(archive, session) as release:
            assert (archive.size, release.size) == (None, len(data))


def test_a_server_without_ranges_sends_the_wheel_whole() -> None:
    """The text is the same; the price is the file."""
    data = wheel("1.0", SOURCE, ballast=200_000)
    with serve(Served({wheel_name("1.0"): data}, ranges=False)) as served:
        text, fetched, _ = _read(served)

    assert text == SOURCE
    assert fetched >= len(data)


def test_a_source_archive_is_read_whole() -> None:
    """Its files are found below the archive's own folder."""
    data = sdist("1.0", SOURCE)
    with serve(Served({SDIST: data})) as served:
        text, fetched, sha256 = _read(served)

    assert (text, fetched) == (SOURCE, len(data))
    assert sha256 == hashlib.sha256(data).hexdigest()


def test_a_local_wheel_is_hashed(tmp_path: Path) -> None:
    """A folder gives no hashes, so the file's own is computed."""
    data = wheel("1.0", SOURCE)
    folder = write_folder(tmp_path, {wheel_name("1.0"): data})
    served = IndexSettings(no_index=True, find_links=(str(folder),))
    with CountingSession(served) as session:
        [archive] = list_archives("pkg-python", served, session).values()
        with open_archive(archive, session) as release:
            assert release.read("pkg/__init__.py") == SOURCE
            assert release.sha256 == hashlib.sha256(data).hexdigest()
            assert release.size == len(data)
        assert session.bytes_fetched == 0


@pytest.mark.parametrize(
    ("name", "data"),
    [
        (wheel_name("1.0"), b"not a zip"),
        (wheel_name("1.0"), wheel("1.0", SOURCE)[:-40]),
        (SDIST, b"not a tar"),
        (SDIST, sdist("1.0", SOURCE)[:-40]),
    ],
)
@pytest.mark.parametrize("ranges", [True, False])
def test_a_damaged_archive_is_one_clear_error(name: str, data: bytes, *, ranges: bool) -> None:
    """The error names the archive, in one line."""
    with serve(Served({name: data}, ranges=ranges)) as served:
        with pytest.raises(DamagedArchiveError, match=r"1\.0.*: damaged archive") as caught:
            _read(served)
        assert "\n" not in str(caught.value)


def test_damage_inside_a_wheel_is_found_when_it_is_read() -> None:
    """A member whose bytes were changed fails its checksum."""
    data = bytearray(wheel("1.0", "#" + "abcdefgh" * 40))
    place = data.index(b"pkg/__init__.py") + len("pkg/__init__.py") + 5
    data[place] ^= 0xFF
    with (
        serve(Served({wheel_name("1.0"): bytes(data)})) as served,
        pytest.raises(DamagedArchiveError),
    ):
        _read(served)


def test_a_whole_file_must_have_the_announced_hash() -> None:
    """An archive that is not the one the index names is refused."""
    served = Served({SDIST: sdist("1.0", SOURCE)}, wrong_hashes={SDIST})
    with serve(served), pytest.raises(DamagedArchiveError, match="the index says 000000000000"):
        _read(served)


def test_a_file_that_is_gone_is_one_clear_error(tmp_path: Path) -> None:
    """The index lists it, and nobody has it."""
    with serve(Served({})) as served, CountingSession(served.settings) as session:
        archive = Archive(SDIST, "1.0", "sdist", f"{served.url}/{SDIST}")
        with (
            pytest.raises(IndexUnavailableError, match=SDIST),
            open_archive(archive, session),
        ):
            pass
        local = Archive(SDIST, "1.0", "sdist", str(tmp_path / SDIST))
        with pytest.raises(DamagedArchiveError), open_archive(local, session):
            pass
