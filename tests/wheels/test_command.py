from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner, Result

from driftgate.cli import main

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    MakeWheel = Callable[..., Path]


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A checkout of its own, and no index but a folder of wheels."""
    folder = tmp_path / "checkout"
    (folder / "matrix").mkdir(parents=True)
    (folder / "matrix" / "target.toml").touch()
    monkeypatch.chdir(folder)
    monkeypatch.setenv("DRIFTGATE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path / "wheelhouse"))
    return folder


def _record(project: Path, wheel: Path, sha256: str = "", *, yanked: bool = False) -> None:
    (project / "matrix" / "releases.toml").write_text(
        f"""
        [release."1.0"]
        filename = "{wheel.name}"
        sha256 = "{sha256 or hashlib.sha256(wheel.read_bytes()).hexdigest()}"
        size = {wheel.stat().st_size}
        uploaded = "2026-01-01"
        requires_python = ">=3.10"
        yanked = {str(yanked).lower()}
        """,
        encoding="utf-8",
    )


def _run(*args: str) -> Result:
    return CliRunner().invoke(main, ["wheels", *args])


def test_fetch_list_and_prune(make_wheel: MakeWheel, project: Path) -> None:
    """A release goes in, is listed, needs no index the second time, and goes out."""
    wheel = make_wheel()
    _record(project, wheel)

    fetched = _run("fetch", "--all")
    wheel.unlink()
    kept = _run("fetch", "1.0")
    listed = _run("list")
    pruned = _run("prune", "1.0")

    assert fetched.exit_code == kept.exit_code == listed.exit_code == pruned.exit_code == 0
    assert "fetched 1.0            checked against pinned sha256" in fetched.output
    assert "kept 1.0" in kept.output
    assert "summary: releases=1 downloaded=0" in kept.output
    assert "summary: releases=1" in listed.output
    assert "summary: removed=1" in pruned.output
    assert "summary: releases=0" in _run("list").output


def test_a_damaged_release_is_fetched_again(make_wheel: MakeWheel, project: Path) -> None:
    """What was written into the store is gone, and the line says fetched."""
    _record(project, make_wheel())
    _run("fetch", "1.0")
    file = project.parent / "cache" / "wheels" / "1.0" / "flashinfer" / "comm" / "__init__.py"
    file.write_text("def (")

    again = _run("fetch", "1.0")

    assert "fetched 1.0" in again.output
    assert file.read_text() == "answer = 42\n"
    assert "kept 1.0" in _run("fetch", "1.0").output


@pytest.mark.parametrize("version", [(), ("1.0",)])
def test_a_damaged_entry_is_listed_and_pruned(
    make_wheel: MakeWheel, project: Path, version: tuple[str, ...]
) -> None:
    """With its name or without, recorded or not."""
    _record(project, make_wheel())
    _run("fetch", "1.0")
    folder = project.parent / "cache" / "wheels" / "1.0"
    (folder / "driftgate-entry.json").write_text("{")

    listed = _run("list")
    pruned = _run("prune", *version)

    assert "DAMAGED 1.0" in listed.output
    assert "run `driftgate wheels fetch 1.0`" in listed.output
    assert "summary: releases=0 damaged=1" in listed.output
    assert pruned.exit_code == 0
    assert not folder.exists()


def test_a_yanked_release_is_marked(make_wheel: MakeWheel, project: Path) -> None:
    """Where it is fetched and where it is listed."""
    _record(project, make_wheel(), yanked=True)

    assert "YANKED" in _run("fetch", "1.0").output
    assert "YANKED" in _run("list").output


def test_prune_alone_keeps_recorded_releases(make_wheel: MakeWheel, project: Path) -> None:
    """Only what the matrix does not know is removed."""
    _record(project, make_wheel())
    _run("fetch", "1.0")

    kept = _run("prune")
    (project / "matrix" / "releases.toml").unlink()
    removed = _run("prune")

    assert "summary: removed=0" in kept.output
    assert "summary: removed=1" in removed.output


def test_the_cache_can_be_named(make_wheel: MakeWheel, project: Path, tmp_path: Path) -> None:
    """The flag wins over the variable."""
    _record(project, make_wheel())

    _run("--cache", str(tmp_path / "elsewhere"), "fetch", "1.0")

    assert (tmp_path / "elsewhere" / "wheels" / "1.0" / "flashinfer").is_dir()
    assert "summary: releases=0" in _run("list").output


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (("fetch",), "name releases, or use --all"),
        (("fetch", "nonsense"), "'nonsense' is no version"),
        (("fetch", "9.9"), "flashinfer-python 9.9: the index has no wheel of it"),
        (("prune", "9.9"), "unknown release in the store '9.9'"),
    ],
)
def test_bad_requests_exit_2(args: tuple[str, ...], message: str) -> None:
    """Each says what is wrong."""
    result = _run(*args)

    assert result.exit_code == 2
    assert message in result.output


def test_bad_wheels_exit_2_with_one_line(make_wheel: MakeWheel, project: Path) -> None:
    """Re-uploaded, corrupt and hostile ones alike."""
    wheel = make_wheel()
    _record(project, wheel, "f" * 64)
    reuploaded = _run("fetch", "1.0")
    wheel.write_bytes(b"no archive")
    _record(project, wheel)
    corrupt = _run("fetch", "1.0")
    _record(project, make_wheel({"flashinfer/comm/__init__.py": b"", "../evil": b""}))
    hostile = _run("fetch", "1.0")

    for result, message in (
        (reuploaded, "re-uploaded with other bytes"),
        (corrupt, "damaged archive"),
        (hostile, "leaves its folder"),
    ):
        assert result.exit_code == 2
        (line,) = result.output.splitlines()
        assert line.startswith("driftgate: flashinfer_python-1.0")
        assert message in line
