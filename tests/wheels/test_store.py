from __future__ import annotations

import threading
from functools import partial
from pathlib import Path

import pytest

from driftgate.wheels.errors import StoreUnwritableError, WheelMissingError
from driftgate.wheels.store import Entry, Verified, WheelStore, cache_folder


def _entry(version: str) -> Entry:
    return Entry(version, f"{version}.whl", "0" * 64, Verified.PINNED, 10, 20)


def _fill(version: str, folder: Path) -> Entry:
    (folder / "flashinfer" / "comm").mkdir(parents=True)
    return _entry(version)


def test_a_release_is_made_once(tmp_path: Path) -> None:
    """The second call finds it and makes nothing."""
    store = WheelStore(tmp_path)
    store.add("1.0", lambda folder: _fill("1.0", folder))

    again = store.add("1.0", lambda _: pytest.fail("made twice"))

    assert again == _entry("1.0")
    assert (store.folder("1.0") / "flashinfer" / "comm").is_dir()


def test_two_runs_make_a_release_once(tmp_path: Path) -> None:
    """While one makes it, the other waits and then finds it."""
    makes: list[str] = []
    making, may_end = threading.Event(), threading.Event()

    def slowly(folder: Path) -> Entry:
        makes.append("first")
        making.set()
        assert may_end.wait(10)
        return _fill("1.0", folder)

    first = threading.Thread(target=lambda: WheelStore(tmp_path).add("1.0", slowly))
    first.start()
    assert making.wait(10)
    found: list[Entry] = []

    def second() -> None:
        found.append(WheelStore(tmp_path).add("1.0", lambda folder: _fill("other", folder)))

    waiter = threading.Thread(target=second)
    waiter.start()
    assert found == []
    may_end.set()
    first.join(10)
    waiter.join(10)

    assert found == [_entry("1.0")]
    assert makes == ["first"]


def test_a_make_that_fails_leaves_nothing(tmp_path: Path) -> None:
    """What was half done is neither listed nor on disk."""
    store = WheelStore(tmp_path)

    def fail(folder: Path) -> Entry:
        (folder / "flashinfer").mkdir()
        raise WheelMissingError("1.0", "gone", "look")

    with pytest.raises(WheelMissingError):
        store.add("1.0", fail)

    assert store.entries() == []
    assert [path.name for path in store.root.iterdir()] == [".locks"]


def test_replacing_takes_effect_whole(tmp_path: Path) -> None:
    """The old files are gone and the new ones there."""
    store = WheelStore(tmp_path)
    store.add("1.0", lambda folder: _fill("1.0", folder))
    (store.folder("1.0") / "old.py").touch()

    store.add("1.0", lambda folder: _fill("1.0", folder), replace=True)

    assert not (store.folder("1.0") / "old.py").exists()
    assert sorted(path.name for path in store.root.iterdir()) == [".locks", "1.0"]


def test_entries_are_in_release_order(tmp_path: Path) -> None:
    """0.6.10 is newer than 0.6.9; a folder without an entry is none."""
    store = WheelStore(tmp_path)
    for version in ("0.6.10", "0.6.9", "0.6.10.post1"):
        store.add(version, partial(_fill, version))
    (store.root / "0.6.11").mkdir()

    versions = [entry.version for entry in store.entries()]
    assert versions == ["0.6.9", "0.6.10", "0.6.10.post1"]


def test_removing_and_sweeping(tmp_path: Path) -> None:
    """A removed release is missing with advice; what a dead run left is swept."""
    store = WheelStore(tmp_path)
    store.add("1.0", lambda folder: _fill("1.0", folder))
    (store.root / ".making-2.0-abc").mkdir()

    store.remove("1.0")

    assert store.sweep() == 1
    with pytest.raises(WheelMissingError, match=r"run `driftgate wheels fetch 1\.0`"):
        store.folder("1.0")


def test_a_damaged_entry_is_no_entry(tmp_path: Path) -> None:
    """It is made anew instead of being trusted."""
    store = WheelStore(tmp_path)
    store.add("1.0", lambda folder: _fill("1.0", folder))
    (store.folder("1.0") / "driftgate-entry.json").write_text("{", encoding="utf-8")

    assert store.get("1.0") is None
    assert store.add("1.0", lambda folder: _fill("1.0", folder)) == _entry("1.0")


def test_a_damaged_entry_is_swept(tmp_path: Path) -> None:
    """And so is a folder without one; what is whole stays."""
    store = WheelStore(tmp_path)
    for version in ("1.0", "1.1"):
        store.add(version, partial(_fill, version))
    (store.folder("1.0") / "driftgate-entry.json").write_text("{", encoding="utf-8")
    (store.root / "1.2").mkdir()

    assert store.damaged() == ["1.0", "1.2"]
    assert store.sweep() == 2
    assert sorted(path.name for path in store.root.iterdir()) == [".locks", "1.1"]


def test_a_cache_that_is_a_file_is_an_error_with_advice(tmp_path: Path) -> None:
    """The line names the folder and the variable that moves it."""
    (tmp_path / "file").touch()

    with pytest.raises(StoreUnwritableError, match="DRIFTGATE_CACHE"):
        WheelStore(tmp_path / "file").add("1.0", lambda folder: _fill("1.0", folder))


@pytest.mark.parametrize(
    ("environ", "expected"),
    [
        ({"DRIFTGATE_CACHE": "/a", "XDG_CACHE_HOME": "/b"}, Path("/a")),
        ({"XDG_CACHE_HOME": "/b"}, Path("/b/driftgate")),
        ({"DRIFTGATE_CACHE": ""}, Path.home() / ".cache" / "driftgate"),
    ],
)
def test_where_the_cache_lies(environ: dict[str, str], expected: Path) -> None:
    """The variable, then the desktop standard's folder, then its default."""
    assert expected == cache_folder(environ)
