"""Which releases are put beside their stubs, and what is said of those that cannot be."""

from __future__ import annotations

import json
import shutil
from importlib.util import find_spec
from pathlib import Path

import pytest
from click.testing import CliRunner

from driftgate.cli import main
from driftgate.evidence import write_fidelity
from driftgate.paths import Project
from driftgate.stubtree.behaviour import Comparison, Pair, pairs
from driftgate.wheels.store import CACHE_VARIABLE, WheelStore, cache_folder

ROOT = Path(__file__).parents[2]
STORE = WheelStore(cache_folder())
needs_torch = pytest.mark.skipif(find_spec("torch") is None, reason="no torch here")


@pytest.fixture
def stubs(tmp_path: Path) -> Path:
    for name, releases in {
        "v1": ["1.0", "1.10", "1.9", "1.2"],
        "v2": ["2.0"],
        "v3": ["3.0"],
    }.items():
        folder = tmp_path / "stubs" / name
        folder.mkdir(parents=True)
        (folder / "shape.toml").write_text(f"stands_for = {json.dumps(releases)}\n")
    return tmp_path / "stubs"


def test_the_first_and_the_last_release_of_each_stub_are_chosen(stubs: Path) -> None:
    """By version, and only of those that have a wheel."""
    wheels = ["1.2", "1.9", "1.10", "2.0"]

    assert pairs(stubs, wheels, every=False) == [
        Pair("1.2", "v1"),
        Pair("1.10", "v1"),
        Pair("2.0", "v2"),
    ]
    assert [pair.release for pair in pairs(stubs, wheels, every=True)] == wheels


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A checkout of this one's data, and a wheel store with nothing in it."""
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "matrix", tmp_path / "matrix")
    shutil.copytree(ROOT / "stubs", tmp_path / "stubs", ignore=ignored)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path / "cache"))
    return tmp_path


@needs_torch
def test_a_release_that_is_not_in_the_store_is_not_run(checkout: Path) -> None:
    """With the command that fetches it; nothing is an error then, and no row is held unused."""
    store = WheelStore(checkout / "cache")
    comparison = Comparison(Project(checkout, checkout / "results"), store, 1)

    (result,) = comparison.run([Pair("0.7.4", "v0_7_4")])

    assert (result.state, result.holds) == ("not-run", True)
    assert result.not_run == "not in the wheel store; run `driftgate wheels fetch 0.7.4`"
    assert comparison.problems == []


@needs_torch
def test_evidence_names_the_run_and_each_release(checkout: Path) -> None:
    store = WheelStore(checkout / "cache")
    comparison = Comparison(Project(checkout, checkout / "results"), store, 1)
    results = list(comparison.run([Pair("0.7.4", "v0_7_4")]))

    path = write_fidelity(checkout / "evidence", results)

    run, row = map(json.loads, path.read_text().splitlines())
    assert path.name == f"fidelity-{run['date']}.jsonl"
    assert (row["release"], row["stub"], row["state"]) == ("0.7.4", "v0_7_4", "not-run")


@pytest.mark.skipif(
    STORE.get("0.7.4") is None, reason="run `driftgate wheels fetch 0.7.4` to have it tried"
)
@pytest.mark.parametrize(
    ("file", "old", "new", "said"),
    [
        ("v0_7_4/shape.toml", "alignment = 32", "alignment = 16", "buffer_size_bytes"),
        (
            "_core/driftgate_stub_core/mnnvl.py",
            "2 * round_up(num_tokens, tp_size)",
            "2 * num_tokens",
            "validators: mnnvl made for",
        ),
    ],
)
def test_a_broken_stub_is_told_from_its_release(
    checkout: Path, monkeypatch: pytest.MonkeyPatch, file: str, old: str, new: str, said: str
) -> None:
    """And the command exits with 1."""
    monkeypatch.setenv(CACHE_VARIABLE, str(STORE.root.parent))
    monkeypatch.setattr(
        "driftgate.commands.fidelity.pairs", lambda *_, **__: [Pair("0.7.4", "v0_7_4")]
    )
    broken = checkout / "stubs" / file
    assert old in broken.read_text()
    broken.write_text(broken.read_text().replace(old, new))

    ran = CliRunner().invoke(main, ["fidelity", "--behaviour"])

    assert ran.exit_code == 1
    assert said in ran.output
