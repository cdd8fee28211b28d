from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from driftgate.cli import main
from driftgate.surface.releases import load_releases
from index.upstream import Served, sdist, serve, wheel, wheel_name, write_folder

if TYPE_CHECKING:
    from pathlib import Path

    from click.testing import Result

TARGET = """
project = "pkg-python"
package = "pkg"
first_release = "1.0"

[[watched]]
id = "pkg:f"
consumers = ["ours"]
why = "a test"
"""
INSIDES = """
root = "pkg"

[[entry]]
id = "pkg:f"
"""
FILES = {
    wheel_name("0.9"): wheel("0.9", "def f(old): ..."),
    "pkg_python-1.0.tar.gz": sdist("1.0", "def f(a): ..."),
    wheel_name("1.1rc1"): wheel("1.1rc1", "def f(a, rc): ..."),
    wheel_name("1.1"): wheel("1.1", "def f(a, b): ..."),
    wheel_name("1.1.post1"): wheel("1.1.post1", "def f(a, b, c): ..."),
}


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A checkout with a target file and nothing recorded."""
    (tmp_path / "matrix").mkdir()
    (tmp_path / "matrix" / "target.toml").write_text(TARGET)
    (tmp_path / "matrix" / "insides.toml").write_text(INSIDES)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    for name in ("PIP_FIND_LINKS", "PIP_EXTRA_INDEX_URL", "PIP_NO_INDEX"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


def record(served: Served, *releases: str) -> Result:
    environ = {"PIP_INDEX_URL": served.url}
    return CliRunner().invoke(main, ["surface", "record", *releases], env=environ)


def contents(project: Path) -> dict[str, bytes]:
    files = (project / "matrix").rglob("*")
    return {str(file.relative_to(project)): file.read_bytes() for file in files if file.is_file()}


def test_all_releases_from_the_first_one_on_are_recorded(project: Path) -> None:
    """Earlier releases and pre-releases are left out, post and yanked releases are not."""
    with serve(Served(dict(FILES), yanked={wheel_name("1.1")})) as served:
        result = record(served)
    rows = load_releases(project / "matrix" / "releases.toml")

    assert result.exit_code == 0, result.output
    assert result.output.splitlines()[-1].startswith("summary: releases=3 failed=0 bytes")
    assert sorted(file.name for file in (project / "matrix" / "surfaces").iterdir()) == [
        "1.0.json",
        "1.1.json",
        "1.1.post1.json",
    ]
    assert {version: row.yanked for version, row in rows.items()} == {
        "1.0": False,
        "1.1": True,
        "1.1.post1": False,
    }
    assert rows["1.0"].requires_dist == ("torch", "tqdm; extra == 'all'")
    assert rows["1.0"].uploaded == "2026-05-09"
    assert rows["1.0"].requires_python == ">=3.9"


def test_recording_anew_gives_the_same_bytes(project: Path) -> None:
    """Files are replaced by equal files, and nothing is left beside them."""
    with serve(Served(dict(FILES))) as served:
        record(served)
        first = contents(project)
        shutil.rmtree(project / "matrix" / "surfaces")
        record(served)

    assert contents(project) == first


def test_nothing_recorded_names_a_place(project: Path) -> None:
    """Where the index is stays out of the data."""
    with serve(Served(dict(FILES))) as served:
        record(served)

    assert not any(b"127.0.0.1" in data or b"://" in data for data in contents(project).values())


def test_one_release_can_be_added(project: Path) -> None:
    """Rows and surfaces of other releases stay as they are."""
    with serve(Served(dict(FILES))) as served:
        record(served, "1.0")
        first = (project / "matrix" / "surfaces" / "1.0.json").stat()
        result = record(served, "1.1.post1")
        downloads = [path for path, _ in served.requests if path.startswith("/files/")]

    assert result.exit_code == 0
    assert (project / "matrix" / "surfaces" / "1.0.json").stat().st_mtime_ns == first.st_mtime_ns
    assert list(load_releases(project / "matrix" / "releases.toml")) == ["1.0", "1.1.post1"]
    assert {path.rpartition("/")[2] for path in downloads} == {
        "pkg_python-1.0.tar.gz",
        wheel_name("1.1.post1"),
    }


def test_releases_may_come_from_a_folder(project: Path, tmp_path: Path) -> None:
    """With no-index set, find-links is enough; the file's own hash is recorded."""
    folder = write_folder(tmp_path / "wheels", {wheel_name("1.1"): FILES[wheel_name("1.1")]})
    environ = {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(folder)}
    result = CliRunner().invoke(main, ["surface", "record"], env=environ)

    assert result.exit_code == 0, result.output
    [row] = load_releases(project / "matrix" / "releases.toml").values()
    assert (row.version, row.requires_python, len(row.sha256)) == ("1.1", ">=3.10", 64)


@pytest.mark.parametrize(
    ("ask", "says"),
    [("7.7", "unknown release '7.7'; known: 1.0"), ("1.1rc1", "unknown release")],
)
def test_a_release_that_is_not_offered_is_one_line(project: Path, ask: str, says: str) -> None:
    """Exit 2, nothing read, and everything recorded before is untouched."""
    with serve(Served(dict(FILES))) as served:
        record(served)
        before = contents(project)
        result = record(served, ask)

    assert result.exit_code == 2
    assert result.stderr.startswith("driftgate: ")
    assert result.stderr.count("\n") == 1
    assert says in result.stderr
    assert result.stdout == ""
    assert contents(project) == before


@pytest.mark.parametrize(
    ("name", "bad", "says"),
    [
        (wheel_name("1.1"), b"PK not a zip", "damaged archive"),
        ("pkg_python-1.0.tar.gz", FILES["pkg_python-1.0.tar.gz"][:80], "damaged archive"),
        (wheel_name("1.1"), wheel("1.1", "def f(:"), "__init__.py: not Python"),
    ],
    ids=["no-zip", "half-an-archive", "no-python"],
)
def test_one_unreadable_release_does_not_cost_the_others(
    project: Path, name: str, bad: bytes, says: str
) -> None:
    """It is named in one line and exit 2; its earlier record stays, new releases are kept."""
    newer = wheel_name("1.2")
    with serve(Served(dict(FILES))) as served:
        record(served)
        before = contents(project)
        served.files = {**FILES, name: bad, newer: wheel("1.2", "def f(a, b, c, d): ...")}
        result = record(served)
    after = contents(project)

    assert result.exit_code == 2
    assert [name in line and says in line for line in result.stderr.splitlines()] == [True]
    assert result.output.splitlines()[-1].startswith("summary: releases=3 failed=1 ")
    assert list(load_releases(project / "matrix" / "releases.toml")) == [
        "1.0",
        "1.1",
        "1.1.post1",
        "1.2",
    ]
    assert {path for path in after if before.get(path) != after[path]} == {
        "matrix/releases.toml",
        "matrix/insides/1.2.json",
        "matrix/surfaces/1.2.json",
    }


def test_outside_a_checkout_nothing_is_recorded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The data that came with the installation is not written to; one line says so."""
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(main, ["surface", "record"])

    assert result.exit_code == 2
    assert result.stderr == (
        f"driftgate: {tmp_path}: not in a checkout of driftgate "
        "(no matrix/target.toml here or above); run it in one\n"
    )


def test_show_and_diff_read_what_was_recorded(project: Path) -> None:
    """The other subcommands work on the files, with no index at hand."""
    with serve(Served(dict(FILES))) as served:
        record(served)
    run = CliRunner()
    shown = run.invoke(main, ["surface", "show", "1.1"])
    compared = run.invoke(main, ["surface", "diff", "1.0", "1.1"])
    as_json = run.invoke(main, ["surface", "diff", "1.0", "1.1", "--json"])
    same = run.invoke(main, ["surface", "diff", "1.1", "1.1"])

    assert shown.output.startswith("pkg:f\n    f(a, b)\n")
    assert compared.output.splitlines() == [
        "pkg:f",
        "  breaking         param-required-added (b)",
        "                   + b",
        "                     position 2",
        "  additive         param-ignored",
        "                   + new, and ignored: b",
        "verdict: breaking",
        "summary: differences=2 breaking=1 dangerous=0 safe-by-keyword=0 additive=1 cosmetic=0",
    ]
    assert '"kind": "param-required-added"' in as_json.output
    assert same.output.startswith("verdict: equal\nsummary: differences=0 ")


@pytest.mark.parametrize("folder", ["surfaces", "insides"])
@pytest.mark.parametrize("command", [["show", "1.1"], ["diff", "1.0", "1.1"]])
def test_a_truncated_record_is_one_line(project: Path, command: list[str], folder: str) -> None:
    """Exit 2, and the line says how to record the release again."""
    with serve(Served(dict(FILES))) as served:
        record(served)
    file = project / "matrix" / folder / "1.1.json"
    file.write_bytes(file.read_bytes()[:-20])
    result = CliRunner().invoke(main, ["surface", *command])

    assert result.exit_code == 2
    assert result.stderr.count("\n") == 1
    assert "driftgate surface record 1.1" in result.stderr
