"""Files out of a consumer's wheel, from a small index on this machine."""

from __future__ import annotations

import hashlib
import io
import os
import zipfile
from typing import TYPE_CHECKING

import pytest

from driftgate.errors import DamagedArchiveError, DriftgateError, IndexUnavailableError
from driftgate.index.settings import IndexSettings
from driftgate.released.errors import FilesMissingError, NoSuchReleaseError
from driftgate.released.fetch import fetch_consumer
from driftgate.released.rows import ConsumerRow
from driftgate.wheels.errors import StoreUnwritableError
from index.upstream import METADATA, Served, serve

if TYPE_CHECKING:
    from pathlib import Path

ROW = ConsumerRow("engine", "pkg-python", ("fusion.py", "other.py"), {})
FUSION = "import flashinfer.comm\r\n# \N{GREEK SMALL LETTER LAMDA}\n"
OFFLINE = IndexSettings(no_index=True)


def wheel(files: dict[str, str], version: str = "1.0", ballast: int = 0) -> bytes:
    """A wheel of ``files``, which pins FlashInfer, and ``ballast`` bytes beside them."""
    pinned = METADATA.format(version=version) + "Requires-Dist: flashinfer_python==0.7.2\n\nText\n"
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("engine/kernels.so", os.urandom(ballast))
        for name, text in files.items():
            archive.writestr(name, text)
        archive.writestr(f"pkg_python-{version}.dist-info/METADATA", pinned)
    return file.getvalue()


def name(version: str = "1.0", tags: str = "cp312-cp312-manylinux_2_28_x86_64") -> str:
    """A platform wheel's file name."""
    return f"pkg_python-{version}-{tags}.whl"


def test_only_the_wanted_files_are_fetched(tmp_path: Path) -> None:
    """By base name, wherever they lie, at less than 2% of a 5 MB wheel."""
    data = wheel({"engine/deep/fusion.py": FUSION, "engine/more.py": "x = 1"}, ballast=5_000_000)
    with serve(Served({name(): data})) as served:
        found = fetch_consumer(ROW, "1.0", tmp_path, served.settings)

    assert [(file.path, file.text) for file in found.files] == [("engine/deep/fusion.py", FUSION)]
    assert found.pins == {"flashinfer-python": "==0.7.2"}
    assert found.size == len(data)
    assert 0 < found.fetched < 0.02 * len(data)


def test_what_was_fetched_needs_no_index(tmp_path: Path) -> None:
    """The second time the same comes out of the cache, byte for byte."""
    with serve(Served({name(): wheel({"engine/fusion.py": FUSION})})) as served:
        first = fetch_consumer(ROW, "1.0", tmp_path, served.settings)

    again = fetch_consumer(ROW, "1.0", tmp_path, OFFLINE)

    assert again == first
    digest = hashlib.sha256(FUSION.encode()).hexdigest()
    assert (tmp_path / "consumers" / "files" / digest).read_bytes() == FUSION.encode()


def test_releases_with_equal_files_share_them(tmp_path: Path) -> None:
    """Files are kept by their hash."""
    wheels = {name(version): wheel({"fusion.py": FUSION}, version) for version in ("1.0", "1.1")}
    with serve(Served(wheels)) as served:
        for version in ("1.0", "1.1"):
            fetch_consumer(ROW, version, tmp_path, served.settings)

    assert len(list((tmp_path / "consumers" / "files").iterdir())) == 1


@pytest.mark.parametrize("damage", ["", "changed"])
def test_a_damaged_cache_is_fetched_anew(tmp_path: Path, damage: str) -> None:
    """A file that does not have the hash it is kept under is not used."""
    with serve(Served({name(): wheel({"fusion.py": FUSION})})) as served:
        fetch_consumer(ROW, "1.0", tmp_path, served.settings)
        [kept] = (tmp_path / "consumers" / "files").iterdir()
        kept.write_text(damage)
        with pytest.raises(NoSuchReleaseError):
            fetch_consumer(ROW, "1.0", tmp_path, OFFLINE)
        found = fetch_consumer(ROW, "1.0", tmp_path, served.settings)

    assert found.files[0].text == FUSION


def test_other_wanted_files_are_fetched_anew(tmp_path: Path) -> None:
    """What was kept for fewer files does not answer for more."""
    fewer = ConsumerRow("engine", "pkg-python", ("fusion.py",), {})
    with serve(Served({name(): wheel({"fusion.py": FUSION, "other.py": ""})})) as served:
        assert len(fetch_consumer(fewer, "1.0", tmp_path, served.settings).files) == 1
        assert len(fetch_consumer(ROW, "1.0", tmp_path, served.settings).files) == 2


def test_of_platform_wheels_the_x86_64_one_is_read(tmp_path: Path) -> None:
    """Whatever the Python tag, and whichever is listed first."""
    arm = wheel({"fusion.py": "arm = 1"})
    wheels = {
        name(tags="cp38-abi3-manylinux_2_28_aarch64"): arm,
        name(): wheel({"fusion.py": FUSION}),
        name(tags="cp38-abi3-macosx_11_0_arm64"): arm,
    }
    with serve(Served(wheels)) as served:
        found = fetch_consumer(ROW, "1.0", tmp_path, served.settings)

    assert found.filename == name()
    assert found.files[0].text == FUSION


def _clear(error: DriftgateError, *parts: str) -> None:
    """The error is one line that names all ``parts``, for exit code 2."""
    assert error.exit_code == 2
    assert "\n" not in str(error)
    for part in parts:
        assert part in str(error)


def test_a_release_that_does_not_exist(tmp_path: Path) -> None:
    """Says which is asked for, and which is the newest."""
    with (
        serve(Served({name("1.2"): wheel({"fusion.py": FUSION})})) as served,
        pytest.raises(NoSuchReleaseError) as caught,
    ):
        fetch_consumer(ROW, "9.9", tmp_path, served.settings)

    _clear(caught.value, "pkg-python==9.9", "1.2")


def test_a_wheel_without_the_files(tmp_path: Path) -> None:
    """Says which wheel and which files; nothing is kept."""
    with (
        serve(Served({name(): wheel({"engine/else.py": ""})})) as served,
        pytest.raises(FilesMissingError) as caught,
    ):
        fetch_consumer(ROW, "1.0", tmp_path, served.settings)

    _clear(caught.value, name(), "fusion.py", "other.py")
    assert not (tmp_path / "consumers").exists()


@pytest.mark.parametrize(
    ("data", "error"),
    [(b"no zip at all" * 20, DamagedArchiveError), (None, IndexUnavailableError)],
)
def test_an_archive_that_cannot_be_read(
    tmp_path: Path, data: bytes | None, error: type[DriftgateError]
) -> None:
    """Damaged, or an index that is not there: one line."""
    with serve(Served({name(): data or b""})) as served:
        settings = served.settings if data else IndexSettings("http://127.0.0.1:9/simple")
        with pytest.raises(error) as caught:
            fetch_consumer(ROW, "1.0", tmp_path, settings)

    _clear(caught.value)


def test_a_cache_that_cannot_be_written(tmp_path: Path) -> None:
    """Names the folder and the variable."""
    (tmp_path / "consumers").write_text("a file in the way")
    with (
        serve(Served({name(): wheel({"fusion.py": FUSION})})) as served,
        pytest.raises(StoreUnwritableError) as caught,
    ):
        fetch_consumer(ROW, "1.0", tmp_path, served.settings)

    _clear(caught.value, "DRIFTGATE_CACHE")
