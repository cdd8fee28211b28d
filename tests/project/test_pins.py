"""What ``pyproject.toml`` declares is what results support, and no more."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from packaging.requirements import Requirement
from packaging.version import Version

from driftgate.errors import InvalidDataError
from driftgate.evidence import read_supported
from driftgate.paths import find_project
from driftgate.surface.releases import load_releases
from driftgate.toml import read_toml

if TYPE_CHECKING:
    from packaging.specifiers import SpecifierSet

PROJECT = find_project(Path(__file__).parent)
PYPROJECT = read_toml(PROJECT.root / "pyproject.toml")
RELEASES = list(load_releases(PROJECT.matrix / "releases.toml"))
SUPPORTED = read_supported(PROJECT.matrix / "evidence", "ours")


def _requirement(lines: list[str], name: str) -> Requirement:
    (found,) = (each for each in map(Requirement, lines) if each.name == name)
    return found


def _flashinfer() -> SpecifierSet:
    extra = PYPROJECT["project"]["optional-dependencies"]["flashinfer"]
    return _requirement(extra, "flashinfer-python").specifier


def test_every_flashinfer_release_that_is_admitted_was_tried_and_is_kept() -> None:
    """Fusion ran there, and every contract was kept."""
    admitted = set(_flashinfer().filter(RELEASES))

    assert admitted - SUPPORTED.releases == set()


def test_no_flashinfer_release_beyond_those_tried_is_admitted() -> None:
    oldest = min(SUPPORTED.releases, key=Version)
    newest = max(SUPPORTED.releases, key=Version)
    admitted = _flashinfer()

    for beyond in (f"{newest}.post99", "9999", "0"):
        assert not admitted.contains(beyond), beyond
    assert admitted.contains(oldest)
    assert admitted.contains(newest)


def test_the_pin_is_admitted() -> None:
    assert _flashinfer().contains(PYPROJECT["tool"]["driftgate"]["flashinfer"])


def test_torch_is_admitted_by_the_series_that_was_run() -> None:
    """Only ``>=X.Y,<X.Z`` is understood here: every X.Y up to, and without, X.Z must have run."""
    specifiers = _requirement(PYPROJECT["project"]["dependencies"], "torch").specifier
    bounds: dict[str, Any] = {each.operator: Version(each.version) for each in specifiers}
    assert bounds.keys() == {">=", "<"}
    low, high = bounds[">="], bounds["<"]
    assert low.major == high.major

    admitted = {(low.major, minor) for minor in range(low.minor, high.minor)}

    assert admitted == {(version.major, version.minor) for version in SUPPORTED.torch}


def test_evidence_that_is_missing_is_told_so(tmp_path: Path) -> None:
    with pytest.raises(InvalidDataError, match="no evidence of the wheel tier"):
        read_supported(tmp_path, "ours")


def test_a_release_with_a_finding_or_without_fusion_is_not_supported(tmp_path: Path) -> None:
    """Nor is one where something was expected to fail, or that another consumer ran on."""
    active, off = {"a": "active", "b": "degraded(x)"}, {"a": "degraded(x)"}
    rows: list[dict[str, Any]] = [
        {"date": "2030-01-01", "python": "3.11.7", "torch": "2.99.1+cpu"},
        _row("1.0", active, {"pass": 9, "not-run": 1}),
        _row("1.1", off, {"pass": 9}),
        _row("1.2", active, {"pass": 9, "xfail": 1}),
        _row("1.3", active, {"pass": 9, "fail": 1}),
        {**_row("1.4", active, {"pass": 9}), "consumer": "theirs"},
    ]
    file = tmp_path / "wheels-2030-01-01.jsonl"
    file.write_text("\n".join(map(json.dumps, rows)))

    supported = read_supported(tmp_path, "ours")

    assert supported.releases == {"1.0"}
    assert supported.torch == {Version("2.99.1")}


def _row(release: str, fusion: dict[str, str], states: dict[str, int]) -> dict[str, Any]:
    return {"release": release, "consumer": "ours", "fusion": fusion, "states": states}
