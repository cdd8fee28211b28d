from __future__ import annotations

import stat
import zipfile
from typing import TYPE_CHECKING

import pytest

from driftgate.errors import DamagedArchiveError
from driftgate.wheels.errors import HostileArchiveError
from driftgate.wheels.unpack import Limits, unpack

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    MakeWheel = Callable[..., Path]

NAME = "flashinfer_python-1.0-py3-none-any.whl"


def _into(tmp_path: Path) -> Path:
    folder = tmp_path / "into"
    folder.mkdir()
    return folder


def test_keeps_the_package_and_its_metadata_only(make_wheel: MakeWheel, tmp_path: Path) -> None:
    """Kernel sources, and other packages that would come first on the path, stay out."""
    into = _into(tmp_path)

    unpack(make_wheel(), NAME, into)

    files = {path.relative_to(into).as_posix() for path in into.rglob("*") if path.is_file()}
    assert files == {
        "flashinfer/__init__.py",
        "flashinfer/comm/__init__.py",
        "flashinfer_python-1.0.dist-info/METADATA",
        "flashinfer_python-1.0.dist-info/RECORD",
    }


def _entry(name: str, mode: int = stat.S_IFREG | 0o644) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo("x")
    info.filename = info.orig_filename = name
    info.external_attr = mode << 16
    return info


@pytest.mark.parametrize(
    ("entry", "problem"),
    [
        (_entry("flashinfer/../../evil.py"), "leaves its folder"),
        (_entry("../evil.py"), "leaves its folder"),
        (_entry("flashinfer/data/../../../evil.cu"), "leaves its folder"),
        (_entry("/etc/evil"), "absolute path"),
        (_entry("C:/evil.py"), "no portable name"),
        (_entry("flashinfer\\..\\evil.py"), "no portable name"),
        (_entry("flashinfer/comm/evil\n.py"), "no portable name"),
        (_entry("flashinfer/comm/link", stat.S_IFLNK | 0o777), "a link or a device"),
        (_entry("flashinfer/comm/pipe", stat.S_IFIFO | 0o644), "a link or a device"),
        (_entry("flashinfer/comm/__init__.py/below.py"), "both a file and a folder"),
    ],
    ids=lambda value: value.filename if isinstance(value, zipfile.ZipInfo) else "",
)
def test_refuses_hostile_names(
    make_wheel: MakeWheel, tmp_path: Path, entry: zipfile.ZipInfo, problem: str
) -> None:
    """One such entry refuses the whole archive, and nothing is written outside the folder."""
    wheel = make_wheel(extra=((entry, b"/etc/passwd"),))
    before = {path for path in tmp_path.rglob("*") if "into" not in path.parts}

    with pytest.raises(HostileArchiveError, match=problem):
        unpack(wheel, NAME, _into(tmp_path))

    assert before == {path for path in tmp_path.rglob("*") if "into" not in path.parts}


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_refuses_a_name_that_occurs_twice(make_wheel: MakeWheel, tmp_path: Path) -> None:
    """Tools differ in which of the two they would install."""
    wheel = make_wheel(extra=((_entry("flashinfer/comm/__init__.py"), b"answer = 43\n"),))

    with pytest.raises(HostileArchiveError, match="occurs twice"):
        unpack(wheel, NAME, _into(tmp_path))


def test_refuses_a_bomb_before_it_is_unpacked(make_wheel: MakeWheel, tmp_path: Path) -> None:
    """A million zeros are a thousand bytes in the archive."""
    wheel = make_wheel({"flashinfer/comm/__init__.py": b"\0" * 1_000_000})
    into = _into(tmp_path)

    with pytest.raises(HostileArchiveError, match="unpacks to more than 0 MiB"):
        unpack(wheel, NAME, into, Limits(total_bytes=999_999))

    assert list(into.iterdir()) == []


def test_refuses_too_many_entries(make_wheel: MakeWheel, tmp_path: Path) -> None:
    """Six entries (five files and RECORD) are one more than five."""
    with pytest.raises(HostileArchiveError, match="more than 5 entries"):
        unpack(make_wheel(), NAME, _into(tmp_path), Limits(entries=5))


def test_a_size_that_lies_is_damage(make_wheel: MakeWheel, tmp_path: Path) -> None:
    """A directory that understates an entry does not let more bytes through."""
    content = b"x" * 5000
    wheel = make_wheel({"flashinfer/comm/__init__.py": content})
    data = wheel.read_bytes()
    size = (5000).to_bytes(4, "little")
    wheel.write_bytes(data.replace(size, (10).to_bytes(4, "little")))
    into = _into(tmp_path)

    with pytest.raises(DamagedArchiveError):
        unpack(wheel, NAME, into)

    written = sum(path.stat().st_size for path in into.rglob("*") if path.is_file())
    assert written <= 10


@pytest.mark.parametrize("cut", [0, 10, -10], ids=["empty", "head", "tail lost"])
def test_a_truncated_wheel_is_damaged(make_wheel: MakeWheel, tmp_path: Path, cut: int) -> None:
    """What is left is no archive."""
    wheel = make_wheel()
    wheel.write_bytes(wheel.read_bytes()[:cut])

    with pytest.raises(DamagedArchiveError):
        unpack(wheel, NAME, _into(tmp_path))


def test_a_flipped_byte_is_damage(make_wheel: MakeWheel, tmp_path: Path) -> None:
    """Stored content that differs from its CRC is not handed out."""
    wheel = make_wheel()
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_STORED) as archive:
        archive.writestr("flashinfer/comm/__init__.py", b"answer = 42\n")
    wheel.write_bytes(wheel.read_bytes().replace(b"answer = 42", b"answer = 43"))

    with pytest.raises(DamagedArchiveError, match="CRC"):
        unpack(wheel, NAME, _into(tmp_path))


def test_a_wheel_of_something_else_is_damaged(make_wheel: MakeWheel, tmp_path: Path) -> None:
    """Without flashinfer/comm there is nothing to look at."""
    with pytest.raises(DamagedArchiveError, match="no flashinfer/comm"):
        unpack(make_wheel({"other/__init__.py": b""}), NAME, _into(tmp_path))
