"""``driftgate compat`` against real releases: selection, what is missing, and what a run shows."""

from __future__ import annotations

import base64
import datetime as dt
import hashlib
import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from packaging.specifiers import SpecifierSet

from driftgate.cells import Tier
from driftgate.cli import main
from driftgate.digests import digest_of
from driftgate.errors import InvalidDataError, UnknownNameError
from driftgate.expectations import read_expectations
from driftgate.paths import find_project
from driftgate.upstreams import choose_upstreams, find_upstream
from driftgate.wheels.store import CACHE_VARIABLE, WheelStore, cache_folder

PROJECT = find_project(Path(__file__).parent)
STORE = WheelStore(cache_folder())
needs_newest = pytest.mark.skipif(
    STORE.get("0.7.4") is None, reason="run `driftgate wheels fetch 0.7.4` to have it tried"
)


def test_a_range_selects_releases_with_a_wheel_post_releases_included() -> None:
    assert choose_upstreams(["wheels:>=0.6.8,<=0.6.10"], PROJECT) == [
        "wheel:0.6.8",
        "wheel:0.6.8.post1",
        "wheel:0.6.9",
        "wheel:0.6.10",
    ]


def test_patterns_and_stubs_can_be_mixed() -> None:
    assert choose_upstreams(["stub:v0_7_4", "wheel:0.7.2*", "absent"], PROJECT) == [
        "stub:v0_7_4",
        "absent",
        "wheel:0.7.2",
        "wheel:0.7.2.post1",
    ]


def test_wheels_are_all_with_the_unified_api_and_the_newest_without() -> None:
    """It came with 0.6.0; 0.5.3 was the last before it."""
    chosen = choose_upstreams(["wheels"], PROJECT)

    assert chosen[:2] == ["wheel:0.5.3", "wheel:0.6.0"]
    assert len(chosen) == 1 + len(choose_upstreams(["wheels:>=0.6.0"], PROJECT))


def test_without_a_pattern_the_stub_tier_is_run() -> None:
    chosen = choose_upstreams([], PROJECT)

    assert {find_upstream(name, PROJECT).tier for name in chosen} == {Tier.STUB}


@pytest.mark.parametrize("pattern", ["wheel:9.9", "wheels:>=99", "wheel:0.2.8"])
def test_a_pattern_that_selects_nothing_is_an_error(pattern: str) -> None:
    """0.2.8 is recorded, from a source archive: there is no wheel of it."""
    with pytest.raises(UnknownNameError):
        choose_upstreams([pattern], PROJECT)


def test_a_range_that_is_none_is_told_so() -> None:
    with pytest.raises(InvalidDataError, match="no range of releases"):
        choose_upstreams(["wheels:newest"], PROJECT)


def test_a_release_is_judged_as_the_stub_that_stands_for_it() -> None:
    """But for what needs cutlass, which no CPU run has."""
    stub, wheel = (find_upstream(name, PROJECT) for name in ("stub:v0_6_10", "wheel:0.6.10"))

    assert wheel.stands_for == ("0.6.10",)
    assert {**stub.degraded, "b200_cutedsl": "unsupported-backend"} == wheel.degraded
    assert find_upstream("wheel:0.7.4", PROJECT).degraded["b200_cutedsl"] == "create-failed"


def _compat(monkeypatch: pytest.MonkeyPatch, folder: Path, *arguments: str) -> Result:
    (folder / "stubs").symlink_to(PROJECT.stubs)
    (folder / "matrix").symlink_to(PROJECT.matrix)
    monkeypatch.chdir(folder)
    return CliRunner().invoke(main, ["compat", *arguments], catch_exceptions=False)


def _rows(result: Result) -> list[dict[str, object]]:
    return [json.loads(line) for line in result.stdout.splitlines() if line.startswith("{")]


def test_a_release_that_is_not_in_the_store_is_not_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every verdict says with which command it can be had; nothing failed."""
    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path / "cache"))

    result = _compat(monkeypatch, tmp_path, "--upstream", "wheel:0.7.4", "--json")

    rows = _rows(result)
    assert result.exit_code == 0
    assert {(row["tier"], row["state"], row["reason"]) for row in rows} == {
        ("wheel", "not-run", "not in the wheel store; run `driftgate wheels fetch 0.7.4`")
    }


@needs_newest
def test_a_release_runs_and_its_stand_ins_are_listed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = ("--upstream", "wheel:0.7.4", "--contract", "all_reduce_is_right", "--json")

    result = _compat(monkeypatch, tmp_path, *asked)

    rows = _rows(result)
    assert result.exit_code == 0
    active = [row for row in rows if row["environment"] in {"h100", "b200", "b200_subgroup"}]
    assert [(row["state"], row["activity"]) for row in active] == [("pass", "active")] * 3
    assert all("tvm_ffi" in str(row["standins"]) for row in rows)


_REFUSING = "import array\n\nbroken = {}[0]\n"


def _store_one(cache: Path, init: str) -> Path:
    """Put a release 0.7.4 of one file into a store, as its RECORD says; return that file."""
    folder = cache / "wheels" / "0.7.4"
    file = folder / "flashinfer" / "comm" / "__init__.py"
    file.parent.mkdir(parents=True)
    file.write_text(init)
    digest = base64.urlsafe_b64encode(hashlib.sha256(init.encode()).digest()).decode()
    record = folder / "flashinfer_python-0.7.4.dist-info" / "RECORD"
    record.parent.mkdir()
    record.write_text(f"flashinfer/comm/__init__.py,sha256={digest.rstrip('=')},{len(init)}\n")
    entry = {"version": "0.7.4", "filename": "f.whl", "sha256": "0" * 64, "downloaded": 1}
    (folder / "driftgate-entry.json").write_text(
        json.dumps({**entry, "verified": "pinned sha256", "unpacked": 1})
    )
    return file


def test_a_release_that_cannot_be_imported_is_one_finding(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of a contract of its own, with the file and line; the consumer is off, and says why.

    No trace is kept: it may be this machine that refuses it.
    """
    _store_one(tmp_path / "cache", _REFUSING)
    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path / "cache"))

    result = _compat(monkeypatch, tmp_path, "--upstream", "wheel:0.7.4", "--json")

    rows = _rows(result)
    failed = [row for row in rows if row["state"] == "fail"]
    assert result.exit_code == 1
    assert [row["contract"] for row in failed] == ["upstream_imports_here"]
    assert "(KeyError: 0, in flashinfer/comm/__init__.py:3)" in str(failed[0]["findings"])
    assert {row["activity"] for row in rows if row["activity"]} == {"degraded(import-failed)"}
    assert not list((tmp_path / ".driftgate").glob("traces/*"))


@pytest.mark.parametrize("written", ["def (\n", "pass\n", None])
def test_damage_in_the_store_is_not_blamed_on_the_release(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, written: str | None
) -> None:
    """Whether the file can still be imported or not, or is gone: one line, with the way out."""
    file = _store_one(tmp_path / "cache", _REFUSING)
    if written is None:
        file.unlink()
    else:
        file.write_text(written)
    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path / "cache"))

    result = _compat(monkeypatch, tmp_path, "--upstream", "wheel:0.7.4")

    assert result.exit_code == 2
    assert result.stderr.splitlines()[-1] == (
        "driftgate: 0.7.4 in the store is damaged (flashinfer/comm/__init__.py); "
        "run `driftgate wheels fetch 0.7.4`"
    )


def test_a_kept_trace_is_of_the_files_that_lie_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Other bytes in the store, another key."""
    file = _store_one(tmp_path, _REFUSING)
    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path))
    before = find_upstream("wheel:0.7.4", PROJECT).content
    digest_of.cache_clear()
    file.write_text("pass\n")

    assert find_upstream("wheel:0.7.4", PROJECT).content != before


def test_a_row_can_be_for_some_interpreters(tmp_path: Path) -> None:
    file = tmp_path / "expectations.toml"
    rows = [
        f'[[expect]]\ncontract = "c"\nconsumer = "*"\nreleases = ">=1"\npython = "{python}"\n'
        'reason = "r"\nlink = "l"\nexpires = 2999-01-01\n'
        for python in ("<3", ">=3.10")
    ]
    file.write_text("\n".join(rows))

    other, this = read_expectations(file, {"c"})

    assert (other.is_for_this_python, this.is_for_this_python) == (False, True)
    assert this.python == SpecifierSet(">=3.10")
    assert not this.has_expired(dt.date(2030, 1, 1))
