"""Records of exercises that are kept between runs."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from driftgate.digests import digest_of
from driftgate.exercises.record import Played, Wanted
from driftgate.exercises.shelf import Shelf
from driftgate.paths import find_project

SEAMS = find_project(Path(__file__).parent).matrix / "seams.toml"
PLAYED = {"equal_seeds": Played(value=[1, 2], ending="a line\n")}


@pytest.fixture
def wanted(tmp_path: Path) -> Wanted:
    """A release of one module, of which one exercise is wanted."""
    comm = tmp_path / "release" / "flashinfer" / "comm"
    comm.mkdir(parents=True)
    (comm / "__init__.py").write_text("answer = 42\n", encoding="utf-8")
    return Wanted("1.0", tmp_path / "release", "1.0", ("equal_seeds",))


@pytest.fixture
def shelf(tmp_path: Path) -> Shelf:
    """An empty one."""
    return Shelf(tmp_path / "kept", SEAMS)


def test_what_is_kept_is_found(shelf: Shelf, wanted: Wanted) -> None:
    """A record comes back as it was put."""
    shelf.put(wanted, PLAYED)

    assert shelf.get(wanted) == PLAYED


def test_another_version_shares_nothing(shelf: Shelf, wanted: Wanted) -> None:
    """Seams differ by version, so that equal files of another one are played anew."""
    shelf.put(wanted, PLAYED)

    assert shelf.get(replace(wanted, version="1.1")) == {}


def test_a_record_file_tells_releases_apart(shelf: Shelf, wanted: Wanted) -> None:
    """What a wheel says of all its files counts, not only the modules that are hashed here."""
    shelf.put(wanted, PLAYED)
    record = wanted.folder / "flashinfer_python-1.0.dist-info" / "RECORD"
    record.parent.mkdir()
    record.write_text("flashinfer/utils.py,sha256=abc,1\n", encoding="utf-8")

    assert shelf.get(wanted) == {}


def test_all_modules_of_a_tree_count(wanted: Wanted, tmp_path: Path) -> None:
    """A tree has no record file that says what lies beside the communication part."""
    file = wanted.folder / "flashinfer" / "utils.py"
    file.write_text("answer = 42\n", encoding="utf-8")
    tree = replace(wanted, version="")
    Shelf(tmp_path / "kept", SEAMS).put(tree, PLAYED)

    file.write_text("answer = 43\n", encoding="utf-8")
    digest_of.cache_clear()

    assert Shelf(tmp_path / "kept", SEAMS).get(tree) == {}


def test_what_died_is_played_again(shelf: Shelf, wanted: Wanted) -> None:
    """A death may have been the machine's doing."""
    shelf.put(wanted, {"equal_seeds": Played(error="killed after 60 s")})

    assert shelf.get(wanted) == {}


@pytest.mark.parametrize("text", ["", "{", "[1]", '{"colour": "red"}'])
def test_a_damaged_record_is_played_again(
    shelf: Shelf, wanted: Wanted, tmp_path: Path, text: str
) -> None:
    """What cannot be read, or is no record, is as good as not there."""
    shelf.put(wanted, PLAYED)
    (file,) = (tmp_path / "kept").iterdir()
    file.write_text(text, encoding="utf-8")

    assert shelf.get(wanted) == {}
