"""A copy of the data, and how it comes back."""

from __future__ import annotations

from pathlib import Path

import pytest

from driftgate.bump.staging import (
    ChangedMeanwhileError,
    UnwritableError,
    changed_files,
    publish,
    staged,
)
from driftgate.paths import Project


@pytest.fixture
def project(tmp_path: Path) -> Project:
    for name, text in {
        "matrix/a.toml": "a",
        "matrix/b.toml": "b",
        "stubs/v1/shape.toml": "v1",
        "pyproject.toml": "pin",
    }.items():
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    return Project(tmp_path, tmp_path / "results")


def tree(project: Project) -> dict[str, str]:
    """Every file's text, and every folder, by path."""
    return {
        str(path.relative_to(project.root)): path.read_text() if path.is_file() else "folder"
        for path in project.root.rglob("*")
    }


def test_nothing_changed_nothing_written(project: Project) -> None:
    """A copy that was only read is no news."""
    with staged(project) as stage:
        assert changed_files(stage) == []


def test_what_changed_comes_back(project: Project) -> None:
    """New and other files are written, the rest is left alone."""
    with staged(project) as stage:
        (stage.copy.matrix / "a.toml").write_text("new")
        (stage.copy.stubs / "v2").mkdir()
        (stage.copy.stubs / "v2" / "shape.toml").write_text("v2")
        assert tree(project)["matrix/a.toml"] == "a"

        written = publish(stage)

    assert written == [Path("matrix/a.toml"), Path("stubs/v2/shape.toml")]
    assert tree(project)["matrix/a.toml"] == "new"
    assert tree(project)["stubs/v2/shape.toml"] == "v2"
    assert tree(project)["matrix/b.toml"] == "b"


def test_half_failed_leaves_all_as_it_was(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    """When the second file cannot be replaced, the first is put back, new folders included."""
    before = tree(project)
    whole = Path.replace

    def failing(self: Path, target: Path) -> Path:
        if target.name == "z.toml":
            raise OSError("disk full")
        return whole(self, target)

    with staged(project) as stage:
        (stage.copy.matrix / "a.toml").write_text("new")
        (stage.copy.stubs / "v2").mkdir()
        (stage.copy.stubs / "v2" / "y.toml").write_text("y")
        (stage.copy.stubs / "v2" / "z.toml").write_text("z")
        monkeypatch.setattr(Path, "replace", failing)
        with pytest.raises(UnwritableError, match=r"^stubs/v2/z\.toml: disk full; nothing was"):
            publish(stage)

    assert tree(project) == before


def test_somebody_else_wrote_meanwhile(project: Project) -> None:
    """What another process wrote is not lost."""
    with staged(project) as stage:
        (stage.copy.matrix / "a.toml").write_text("mine")
        (project.matrix / "a.toml").write_text("theirs")
        with pytest.raises(ChangedMeanwhileError, match=r"matrix/a\.toml"):
            publish(stage)

    assert tree(project)["matrix/a.toml"] == "theirs"


def test_other_files_may_change_meanwhile(project: Project) -> None:
    """A file that the copy left alone is nobody's business here."""
    with staged(project) as stage:
        (stage.copy.matrix / "a.toml").write_text("mine")
        (project.matrix / "b.toml").write_text("theirs")
        publish(stage)

    assert tree(project)["matrix/b.toml"] == "theirs"
