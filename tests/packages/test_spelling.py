"""Environments as they are spelled, and what is no spelling of one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from driftgate.packages.errors import BadEnvironmentError
from driftgate.packages.spelling import installed_in, spelled

if TYPE_CHECKING:
    from pathlib import Path


def test_names_are_canonical_and_versions_as_given() -> None:
    """The same distribution is spelled with underscores, dots and capitals."""
    found = spelled(["Flashinfer_Python==0.6.16+cu130", "torch"], "3.11.4")

    assert found.version("flashinfer-python") == "0.6.16+cu130"
    assert found.version("torch") == ""
    assert found.python == "3.11"


@pytest.mark.parametrize(
    "texts",
    [["a=1"], ["a>=1"], ["a==1.*"], ["a==1,==2"], ["a==1; extra == 'x'"], [""], ["a==1", "A==2"]],
)
def test_what_says_no_single_version_is_refused(texts: list[str]) -> None:
    """In one line, with what to write instead."""
    with pytest.raises(BadEnvironmentError) as caught:
        spelled(texts)

    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("python", ["3", "py311", "three", ">=3.10"])
def test_a_python_is_a_version(python: str) -> None:
    """3.11 and 3.11.4 are; these are not."""
    with pytest.raises(BadEnvironmentError):
        spelled([], python)


def test_what_is_installed_below_a_folder(tmp_path: Path) -> None:
    """By metadata, with the interpreter that the folder's place names."""
    site = tmp_path / "lib" / "python3.12" / "site-packages"
    info = site / "flashinfer_cubin-0.6.13.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Name: flashinfer-cubin\nVersion: 0.6.13\n", encoding="utf-8")
    found = installed_in(site, "", {"A": "1"}, environ={"B": "2"})

    assert found.version("flashinfer-cubin") == "0.6.13"
    assert (found.python, found.variables, found.complete) == ("3.12", {"A": "1"}, True)


def test_a_folder_without_anything_is_refused(tmp_path: Path) -> None:
    """An empty environment would pass every rule."""
    with pytest.raises(BadEnvironmentError):
        installed_in(tmp_path, "", {}, environ={})
    with pytest.raises(BadEnvironmentError):
        installed_in(tmp_path / "nowhere", "", {}, environ={})
