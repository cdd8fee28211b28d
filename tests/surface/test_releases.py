from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from driftgate.errors import InvalidDataError
from driftgate.surface.releases import ReleaseRow, load_releases, save_releases

if TYPE_CHECKING:
    from pathlib import Path

ROW = ReleaseRow("0.10", "a.whl", "ab" * 32, 7, "2026-01-02", ">=3.10", ("torch", "x; a == 'b'"))
YANKED = ReleaseRow("0.9.post1", "b.whl", "", 1, "", "", (), yanked=True)


def test_rows_survive_the_disk_in_version_order(tmp_path: Path) -> None:
    """Rows come back equal, oldest release first, and the same rows give the same bytes."""
    file = tmp_path / "releases.toml"
    save_releases(file, [ROW, YANKED])
    first = file.read_bytes()
    loaded = load_releases(file)
    save_releases(file, loaded.values())

    assert list(loaded.values()) == [YANKED, ROW]
    assert file.read_bytes() == first


def test_no_file_is_no_rows(tmp_path: Path) -> None:
    """Before the first recording there is nothing."""
    assert load_releases(tmp_path / "releases.toml") == {}


@pytest.mark.parametrize("text", ["release = 3", '[release."1"]\ncolour = "red"', "[release"])
def test_a_damaged_file_is_one_clear_error(tmp_path: Path, text: str) -> None:
    """The error names the file."""
    file = tmp_path / "releases.toml"
    file.write_text(text)

    with pytest.raises(InvalidDataError, match=r"releases\.toml: "):
        load_releases(file)
