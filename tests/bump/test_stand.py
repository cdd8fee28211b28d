"""What stands for a release, and what is proposed for one that nothing stands for."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from driftgate.bump.staging import staged
from driftgate.bump.stand import Origin, stand_for
from driftgate.paths import Project, find_project
from driftgate.stubtree.fidelity import check_fidelity
from driftgate.stubtree.shapes import load_stub_folders
from driftgate.surface.store import load_surface
from driftgate.surface.target import load_target
from driftgate.toml import read_toml

PROJECT = find_project(Path(__file__).parent)


@pytest.fixture
def stage(tmp_path: Path) -> Project:
    """A copy of the checkout's data."""
    with staged(PROJECT) as stage:
        copy = Project(tmp_path / "copy", tmp_path / "results")
        shutil.copytree(stage.copy.root, copy.root)
        return copy


def forget(stage: Project, release: str) -> str:
    """Let nothing stand for ``release``; return the folder that did."""
    for folder in load_stub_folders(stage.stubs):
        if release in folder.stands_for:
            shape = folder.path / "shape.toml"
            shape.write_text(shape.read_text().replace(f'"{release}"', '"0.0.1"'))
            if len(folder.stands_for) == 1:
                shutil.rmtree(folder.path)
            return folder.name
    raise AssertionError(release)


def test_known(stage: Project) -> None:
    """A release that is stood for keeps its stub, and nothing is written."""
    stand = stand_for(stage, "0.6.9")

    assert stand is not None
    assert (stand.stub, stand.origin) == ("v0_6_8", Origin.KNOWN)


def test_extended(stage: Project) -> None:
    """A release like the one before it, inside too, joins its stub."""
    stub = forget(stage, "0.6.11.post1")

    stand = stand_for(stage, "0.6.11.post1")

    assert stand is not None
    assert (stand.stub, stand.origin) == (stub, Origin.EXTENDED)
    assert "0.6.11.post1" in read_toml(stage.stubs / stub / "shape.toml")["stands_for"]


def test_equal_signatures_are_not_enough(stage: Project) -> None:
    """0.6.10 has the signatures of 0.6.9, and meets its peers otherwise: it gets its own stub."""
    forget(stage, "0.6.10")

    stand = stand_for(stage, "0.6.10")

    assert stand is not None
    assert (stand.origin, stand.copied) == (Origin.DERIVED, "v0_6_8")


def test_derived_is_faithful(stage: Project) -> None:
    """A derived stub has the release's whole surface, and says what its behaviour was copied of."""
    forget(stage, "0.7.4")

    stand = stand_for(stage, "0.7.4")

    assert stand is not None
    assert (stand.stub, stand.copied) == ("v0_7_4", "v0_7_2_post1")
    surfaces = {"0.7.4": load_surface(stage.surfaces, "0.7.4")}
    report = check_fidelity(stage.stubs, surfaces, load_target(stage.matrix / "target.toml"))
    assert [(item.stubs, item.differences) for item in report.releases] == [(("v0_7_4",), ())]


def test_twice_is_once(stage: Project) -> None:
    """What was proposed stands from then on."""
    forget(stage, "0.7.4")
    stand_for(stage, "0.7.4")

    again = stand_for(stage, "0.7.4")

    assert again is not None
    assert again.origin is Origin.KNOWN
