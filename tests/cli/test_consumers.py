"""What a consumer's traces depend on."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from driftgate.consumers import find_consumer
from driftgate.digests import digest_of

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def module(tmp_path: Path) -> Path:
    file = tmp_path / "home" / "mine.py"
    file.parent.mkdir()
    file.write_text("import helper")
    return file


def _content(module: Path) -> str:
    digest_of.cache_clear()  # a run's files do not change under it
    return find_consumer(f"file:{module}").content


@pytest.mark.parametrize("name", ["mine.py", "helper.py"])
def test_a_file_depends_on_the_modules_beside_it(module: Path, name: str) -> None:
    before = _content(module)
    (module.parent / name).write_text("changed = 1")

    assert _content(module) != before


@pytest.mark.parametrize("name", [".#mine.py", ".cache/other.py", "project/other.py", "notes.md"])
def test_a_file_does_not_depend_on_the_rest_of_its_folder(module: Path, name: str) -> None:
    before = _content(module)
    (module.parent / name).parent.mkdir(exist_ok=True)
    (module.parent / name).write_text("other = 1")

    assert _content(module) == before


def test_what_is_no_file_is_passed_over(module: Path) -> None:
    """An editor's lock is a link to nowhere; a folder may be called like a module."""
    before = _content(module), digest_of((module.parent,))
    (module.parent / "lock.py").symlink_to(module.parent / "nowhere")
    (module.parent / "folder.py").mkdir()

    assert (_content(module), digest_of((module.parent,))) == before
