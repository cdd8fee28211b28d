"""Metadata and files out of a small index on this machine, and out of a folder."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from driftgate.errors import IndexUnavailableError
from driftgate.index.settings import IndexSettings
from driftgate.packages.catalogue import IndexCatalogue, Layered, SiteCatalogue
from driftgate.packages.rows import load_packages_target
from index.upstream import Served, serve, wheel, wheel_name
from packages.pretended import PROJECT

if TYPE_CHECKING:
    from pathlib import Path

TARGET = load_packages_target(PROJECT.matrix / "packages.toml")
OFFLINE = IndexSettings(no_index=True)
NAME = "pkg-python"


def index(cache: Path, settings: IndexSettings) -> IndexCatalogue:
    return IndexCatalogue(PROJECT, TARGET, cache, settings)


def test_what_was_read_once_needs_no_index(tmp_path: Path) -> None:
    """The metadata, and whether the release was withdrawn."""
    served = Served({wheel_name("1.0"): wheel("1.0", "x = 1")}, yanked={wheel_name("1.0")})
    with serve(served):
        first = index(tmp_path, served.settings).release(NAME, "1.0")
    again = index(tmp_path, OFFLINE).release(NAME, "1.0")

    assert first == again
    assert first is not None
    assert (first.requires_python, first.yanked) == (">=3.10", True)
    assert [each.name for each in first.requires] == ["torch", "tqdm"]


def test_a_build_has_the_metadata_of_its_release(tmp_path: Path) -> None:
    """An index holds 1.0, and 1.0+cu130 is elsewhere."""
    served = Served({wheel_name("1.0"): wheel("1.0", "x = 1")})
    with serve(served):
        found = index(tmp_path, served.settings).release(NAME, "1.0+cu130")
        missing = index(tmp_path, served.settings).release(NAME, "2.0")
        newest = index(tmp_path, served.settings).newest(NAME)

    assert found is not None
    assert found.version == "1.0"
    assert missing is None
    assert newest == "1.0"


def test_an_index_that_does_not_answer(tmp_path: Path) -> None:
    """It cannot be told; recorded releases can."""
    nowhere = IndexSettings(index_url="http://127.0.0.1:9/simple")
    with pytest.raises(IndexUnavailableError):
        index(tmp_path, nowhere).release(NAME, "1.0")

    recorded = index(tmp_path, nowhere).release("flashinfer-python", "0.6.16")
    assert recorded is not None
    assert recorded.requires_python == "<4.0,>=3.10"


def test_what_is_installed_comes_first(tmp_path: Path) -> None:
    """Its own metadata, and the files that rules read."""
    site = tmp_path / "site-packages"
    info = site / "nvidia_ml_py-13.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(
        "Metadata-Version: 2.1\nName: nvidia-ml-py\nVersion: 13.0\nRequires-Python: >=3.8\n",
        encoding="utf-8",
    )
    (info / "RECORD").write_text("pynvml.py,,\nexample.py,,\n", encoding="utf-8")
    (site / "pynvml.py").write_text("x = 1\n", encoding="utf-8")
    both = Layered(SiteCatalogue(TARGET, site), index(tmp_path / "cache", OFFLINE))
    found = both.release("nvidia-ml-py", "13.0")

    assert found is not None
    assert (found.requires_python, found.yanked) == (">=3.8", None)
    assert both.files("nvidia-ml-py", "13.0") == {"pynvml.py": "x = 1\n"}
    assert both.release("nvidia-ml-py", "12.0") is None
