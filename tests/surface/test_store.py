from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from driftgate.errors import InvalidDataError, UnknownNameError
from driftgate.surface.store import groups, load_surface, recorded_releases, save_surface
from surface.sources import one_module

if TYPE_CHECKING:
    from pathlib import Path

TEXT = """
    from __future__ import annotations
    import enum, functools
    class E(enum.Enum):
        A = 1
        b: int
        @functools.cache
        def f(self, x=None, /, *, y: int = 2, **kw) -> int: ...
    if True:
        LIMIT = 3
"""
IDS = ("pkg", "pkg:E", "pkg:LIMIT", "pkg:gone")


def test_a_surface_survives_the_disk(tmp_path: Path) -> None:
    """What is loaded equals what was saved, and saving it again gives the same bytes."""
    surface = one_module(TEXT, *IDS)
    file = save_surface(tmp_path, surface)
    first = file.read_bytes()
    loaded = load_surface(tmp_path, "1.0")
    save_surface(tmp_path, loaded)

    assert loaded == surface
    assert loaded.symbols["pkg:E"].names == surface.symbols["pkg:E"].names
    assert file.read_bytes() == first
    assert [path.name for path in tmp_path.iterdir()] == ["1.0.json"]


def test_releases_are_ordered_as_versions(tmp_path: Path) -> None:
    """0.10 comes after 0.9, and a post release after its release."""
    surface = one_module("", "pkg:x")
    for release in ("0.10", "0.9", "0.9.post1"):
        save_surface(tmp_path, replace(surface, release=release))

    assert recorded_releases(tmp_path) == ["0.9", "0.9.post1", "0.10"]


def test_an_unknown_release_names_the_known_ones(tmp_path: Path) -> None:
    """The error lists what could have been meant."""
    save_surface(tmp_path, one_module("", "pkg:x"))

    with pytest.raises(UnknownNameError, match=r"unknown release '9\.9'; known: 1\.0"):
        load_surface(tmp_path, "9.9")


@pytest.mark.parametrize(
    "text", ["", '{"release": "1.0", "symb', "[]", '{"release": "1.0"}', '"x"']
)
def test_a_truncated_file_is_one_clear_error(tmp_path: Path, text: str) -> None:
    """The error names the file and the command that mends it."""
    (tmp_path / "1.0.json").write_text(text)

    with pytest.raises(InvalidDataError, match=r"1\.0\.json: .*surface record 1\.0") as caught:
        load_surface(tmp_path, "1.0")
    assert "\n" not in str(caught.value)


def test_a_file_of_another_release_is_refused(tmp_path: Path) -> None:
    """A renamed file does not pass for another release."""
    save_surface(tmp_path, one_module("", "pkg:x")).rename(tmp_path / "2.0.json")

    with pytest.raises(InvalidDataError, match="holds a surface of"):
        load_surface(tmp_path, "2.0")


def test_groups_keep_order_and_need_not_be_contiguous() -> None:
    """Releases of one shape are together even when another shape lies between them."""
    surfaces = [
        replace(one_module(text, "pkg:x"), release=release)
        for release, text in [("1", "x = 1"), ("2", "x = 2"), ("3", "x = 1"), ("4", "")]
    ]

    assert groups(surfaces) == [["1", "3"], ["2"], ["4"]]
