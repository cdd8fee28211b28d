from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

from driftgate.cli import main
from driftgate.errors import InvalidDataError
from driftgate.stubtree.derive import write_stub
from driftgate.stubtree.fidelity import check_fidelity
from driftgate.stubtree.shapes import load_stub_folders
from driftgate.surface.releases import load_releases, save_releases
from driftgate.surface.store import groups, load_surface, load_surfaces
from driftgate.surface.target import load_target

ROOT = Path(__file__).parents[2]


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A checkout with two real releases, and a stub for each derived from its surface."""
    surfaces = tmp_path / "matrix" / "surfaces"
    surfaces.mkdir(parents=True)
    insides = tmp_path / "matrix" / "insides"
    insides.mkdir()
    rows = load_releases(ROOT / "matrix" / "releases.toml")
    save_releases(tmp_path / "matrix" / "releases.toml", [rows["0.6.11"], rows["0.7.4"]])
    shutil.copy(ROOT / "matrix" / "target.toml", tmp_path / "matrix")
    for release, name in [("0.6.11", "v0_6_11"), ("0.7.4", "v0_7_4")]:
        shutil.copy(ROOT / "matrix" / "surfaces" / f"{release}.json", surfaces)
        shutil.copy(ROOT / "matrix" / "insides" / f"{release}.json", insides)
        write_stub(load_surface(surfaces, release), tmp_path / "stubs" / name)
        shape(tmp_path, name, f'stands_for = ["{release}"]')
    shape(tmp_path, "odd", 'imagines = "something else"')
    (tmp_path / "stubs" / "_core").mkdir()
    monkeypatch.chdir(tmp_path)
    return tmp_path


def shape(checkout: Path, name: str, text: str) -> None:
    folder = checkout / "stubs" / name
    folder.mkdir(exist_ok=True)
    (folder / "shape.toml").write_text(text)


def fidelity() -> tuple[int, str]:
    result = CliRunner().invoke(main, ["fidelity"])
    return result.exit_code, result.output


def test_faithful_stubs_pass(checkout: Path) -> None:
    """Every release is named with its stub, and the last line counts."""
    code, output = fidelity()

    assert code == 0, output
    assert "│ 0.6.11  │ v0_6_11 │ none" in output
    assert output.splitlines()[-1].startswith("summary: releases=2 stubs=3 differences=0 seconds=")


@pytest.mark.parametrize(
    ("file", "lacking"),
    [
        ("matrix/releases.toml", "matrix/releases.toml: lacks 0.6.11, 0.7.4"),
        ("matrix/insides/0.7.4.json", "matrix/insides: lacks 0.7.4"),
        ("matrix/surfaces/0.7.4.json", "matrix/surfaces: lacks 0.7.4"),
    ],
)
def test_a_release_must_be_in_all_records(checkout: Path, file: str, lacking: str) -> None:
    """Where one of the three does not know it, what is tried and what is shown differ."""
    (checkout / file).unlink()

    code, output = fidelity()

    assert code == 1
    assert lacking in output


def test_a_stub_that_is_no_python_is_named(checkout: Path) -> None:
    """By its place in the checkout; no archive has anything to do with it."""
    file = checkout / "stubs" / "v0_7_4" / "flashinfer" / "comm" / "__init__.py"
    file.write_text("def (")

    code, output = fidelity()

    assert code == 2
    assert output.startswith(f"driftgate: {file}: not Python (")
    assert output.endswith("; mend it\n")


@pytest.mark.parametrize(
    ("file", "old", "new", "symptom"),
    [
        ("allreduce", "    group: Optional[ProcessGroup] = None,\n", "", "param-removed"),
        (
            "allreduce",
            "launch_with_pdl: bool = False",
            "launch_with_pdl: bool = True",
            "default-changed",
        ),
        ("allreduce", "pattern: int,", "*, pattern: int,", "param-kind-changed"),
        ("allreduce", "pattern: int,", "pattern: str,", "annotation-changed"),
        ("allreduce", "@flashinfer_api(trace=...)", "", "decorators-changed"),
        ("trtllm_mnnvl_ar", "AUTO = 99", "AUTO = 2", "value-changed"),
        ("trtllm_mnnvl_ar", "= 1048576", "= 1048577", "value-changed"),
        (
            "trtllm_mnnvl_ar",
            "    @functools.cache\n    def is_b",
            "    def is_b",
            "decorators-changed",
        ),
        ("trtllm_mnnvl_ar", "(AllReduceFusionWorkspace)", "", "bases-changed"),
        ("trtllm_mnnvl_ar", "strategy: ", "use_oneshot: ", "param-removed"),
        ("trtllm_ar", "8: 42", "8: 42, 16: 1", "value-changed"),
        ("trtllm_ar", "    kAllReduce = 0\n", "", "member-removed"),
        ("__init__", "allreduce_fusion as allreduce_fusion,", "", "symbol-removed"),
        ("torch_symmetric_memory", "def _alloc", "def alloc", "symbol-removed"),
        ("mnnvl", "class TorchDistBackend", "if True:\n  class TorchDistBackend", "guard-changed"),
        ("mnnvl", "import torch", "from __future__ import annotations\nimport torch", "postponed"),
    ],
)
def test_a_stub_broken_on_purpose_is_caught(
    checkout: Path, file: str, old: str, new: str, symptom: str
) -> None:
    """A parameter, default, value, threshold, base, decorator or place: each is noticed."""
    path = checkout / "stubs" / "v0_6_11" / "flashinfer" / "comm" / f"{file}.py"
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))
    code, output = fidelity()

    assert code == 1
    assert symptom in output
    assert "differences=0" not in output


def test_a_moved_definition_is_caught(checkout: Path) -> None:
    """A class that is handed on instead of defined stands in the wrong module."""
    comm = checkout / "stubs" / "v0_6_11" / "flashinfer" / "comm"
    (comm / "mnnvl.py").rename(comm / "moved.py")
    (comm / "mnnvl.py").write_text("from flashinfer.comm.moved import *")
    code, output = fidelity()

    assert code == 1
    assert "symbol-moved" in output


def test_a_stub_must_fit_every_release_it_stands_for(checkout: Path) -> None:
    """One folder cannot stand for two shapes."""
    shape(checkout, "v0_7_4", 'imagines = "x"')
    shape(checkout, "v0_6_11", 'stands_for = ["0.6.11", "0.7.4"]')
    code, output = fidelity()

    assert code == 1
    assert "param-keyword-added" in output or "param-removed" in output


@pytest.mark.parametrize(
    ("name", "text", "problem"),
    [
        ("v0_7_4", 'imagines = "x"', "no stub stands for it"),
        ("odd", "", "odd: stands for no release and does not say what it imagines"),
        ("odd", 'stands_for = ["0.7.4"]', "odd, v0_7_4 all stand for it"),
        ("odd", 'stands_for = ["9.9"]', "odd: stands for 9.9, which was never recorded"),
        (
            "v0_7_4",
            'imagines = "x"\nstands_for = ["0.7.4"]',
            "both stands for releases and imagines",
        ),
    ],
)
def test_who_stands_for_what_must_be_clear(
    checkout: Path, name: str, text: str, problem: str
) -> None:
    """Each release has exactly one stub, and each stub a purpose."""
    shape(checkout, name, text)
    code, output = fidelity()

    assert code == 1
    assert problem in output


@pytest.mark.parametrize("text", ["stands_for = 3", "imagines = ["])
def test_an_unreadable_shape_is_one_clear_error(checkout: Path, text: str) -> None:
    """Wrong types and broken TOML name the file."""
    shape(checkout, "odd", text)

    with pytest.raises(InvalidDataError, match=r"odd/shape\.toml: "):
        load_stub_folders(checkout / "stubs")
    assert CliRunner().invoke(main, ["fidelity"]).exit_code == 2


def test_the_stubs_of_this_project_are_faithful() -> None:
    """Every recorded release has one stub, and no stub differs from a release it stands for."""
    surfaces = load_surfaces(ROOT / "matrix" / "surfaces")
    report = check_fidelity(ROOT / "stubs", surfaces, load_target(ROOT / "matrix" / "target.toml"))

    assert report.problems == ()
    assert [item for item in report.releases if item.problem or item.differences] == []
    assert report.holds
    assert report.stubs >= len(groups(surfaces.values()))
