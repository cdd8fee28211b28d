"""The probe set asks what it is there to ask."""

from __future__ import annotations

from itertools import groupby

from driftgate.probes.cases import all_probes
from driftgate.probes.model import Call, Ref

PROBES = all_probes()
ENOUGH = 120


def test_there_are_enough_probes_each_with_its_own_name() -> None:
    assert len({probe.id for probe in PROBES}) == len(PROBES)
    assert len(PROBES) >= ENOUGH


def test_every_call_is_made() -> None:
    assert {probe.call for probe in PROBES} == set(Call)


def test_probes_of_one_scene_come_one_after_the_other() -> None:
    """A scene costs a process group; each is staged once."""
    scenes = [scene for scene, _ in groupby(PROBES, key=lambda probe: probe.scene)]

    assert len(set(scenes)) == len(scenes)


def test_the_whole_group_a_subgroup_and_each_rank_count_are_probed() -> None:
    scenes = {probe.scene for probe in PROBES}
    whole = {len(scene.ranks) for scene in scenes if len(scene.ranks) == scene.world}

    assert whole >= {1, 2, 3, 4, 6, 8, 16}
    assert any(0 < len(scene.ranks) < scene.world and 0 not in scene.ranks for scene in scenes)
    assert any(not scene.world for scene in scenes)


def test_a_call_about_a_workspace_says_how_it_is_made() -> None:
    for probe in PROBES:
        about_one = probe.call in {Call.FITS, Call.BYTES, Call.DESTROY, Call.READ}
        assert (probe.made is not None) == (about_one or Ref.WORKSPACE in probe.args), probe.id
