from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from driftgate.errors import IndexUnavailableError
from driftgate.index.listing import list_archives
from driftgate.index.session import CountingSession
from driftgate.index.settings import IndexSettings
from index.upstream import Served, sdist, serve, wheel, wheel_name, write_folder

if TYPE_CHECKING:
    from pathlib import Path

    from driftgate.index.listing import Archive

SDIST = "pkg_python-{}.tar.gz"


def _list(settings: IndexSettings) -> dict[str, Archive]:
    with CountingSession(settings) as session:
        return list_archives("pkg-python", settings, session)


def test_releases_come_in_version_order_and_wheels_are_preferred() -> None:
    """One archive a release: the wheel where there is one; yanks, dates and sizes are kept."""
    files = {
        SDIST.format("1.10"): sdist("1.10", ""),
        wheel_name("1.10"): wheel("1.10", ""),
        SDIST.format("1.9"): sdist("1.9", ""),
        "pkg_python-1.9.exe": b"",
    }
    with serve(Served(files, yanked={SDIST.format("1.9")})) as served:
        found = _list(served.settings)

    assert [(a.version, a.kind, a.yanked) for a in found.values()] == [
        ("1.9", "sdist", True),
        ("1.10", "wheel", False),
    ]
    assert found["1.10"].uploaded == "2026-05-09"
    assert found["1.10"].size == len(files[wheel_name("1.10")])


def test_folders_pages_and_file_indexes_are_read(tmp_path: Path) -> None:
    """find-links may be a folder or an HTML file, an extra index a folder of pages."""
    links = write_folder(tmp_path / "links", {wheel_name("1.0"): wheel("1.0", "")})
    page = tmp_path / "page.html"
    page.write_text(f'<a href="other/{wheel_name("2.0")}#sha256={"a" * 64}">wheel</a>')
    simple = tmp_path / "simple" / "pkg-python"
    simple.mkdir(parents=True)
    (simple / "index.html").write_text(f'<a href="../../{wheel_name("3.0")}">wheel</a>')
    settings = IndexSettings((tmp_path / "simple").as_uri(), find_links=(str(links), page.as_uri()))
    found = _list(settings)

    assert {version: archive.url for version, archive in found.items()} == {
        "1.0": str(links / wheel_name("1.0")),
        "2.0": str(tmp_path / "other" / wheel_name("2.0")),
        "3.0": str(tmp_path / wheel_name("3.0")),
    }
    assert found["2.0"].sha256 == "a" * 64


def test_indexes_that_lack_the_project_are_passed_over(tmp_path: Path) -> None:
    """A missing page, folder or project is no error; other projects' files are not taken."""
    with serve(Served({wheel_name("1.0"): wheel("1.0", "")})) as served:
        other = write_folder(tmp_path, {"pkg_python_extra-9.0-py3-none-any.whl": b""})
        settings = IndexSettings(
            served.url,
            (served.url + "/missing", (tmp_path / "none").as_uri()),
            (str(other), str(tmp_path / "none")),
        )
        assert list(_list(settings)) == ["1.0"]


def test_the_main_index_speaks_first(tmp_path: Path) -> None:
    """Of a file that several places offer, what the main index says stands."""
    data = wheel("1.0", "")
    folder = write_folder(tmp_path, {wheel_name("1.0"): data})
    with serve(Served({wheel_name("1.0"): data})) as served:
        found = _list(IndexSettings(served.url, find_links=(str(folder),)))

    assert found["1.0"].uploaded == "2026-05-09"


def test_an_unreachable_index_is_one_clear_error() -> None:
    """Nothing listens there; credentials in the address are not repeated."""
    with serve(Served({})) as served:
        gone = served.url.replace("http://", "http://user:secret@")

    with pytest.raises(IndexUnavailableError, match="check pip's index settings") as caught:
        _list(IndexSettings(gone))
    assert "secret" not in str(caught.value)


def test_a_page_that_answers_with_an_error_is_one_clear_error() -> None:
    """A find-links page that is gone is a wrong setting, and is told."""
    with (
        serve(Served({})) as served,
        pytest.raises(IndexUnavailableError, match="answered 404"),
    ):
        _list(IndexSettings(no_index=True, find_links=(served.url + "/nowhere",)))


def test_the_session_counts_body_bytes() -> None:
    """Bytes are counted as announced, whether or not the body is read."""
    with serve(Served({"a.bin": b"x" * 1000})) as served:
        address = served.url.replace("/simple", "/files/a.bin")
        with CountingSession(IndexSettings()) as session:
            session.get(address)
            session.get(address, headers={"Range": "bytes=0-99"}, stream=True).close()
            assert session.bytes_fetched == 1100
