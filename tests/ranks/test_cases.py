"""The rows of topologies.toml, and what is expected of each rank."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from driftgate.errors import InvalidDataError
from driftgate.paths import find_project
from driftgate.ranks.cases import Case, read_cases
from driftgate.upstreams import find_upstream

PROJECT = find_project(Path(__file__).parent)
FILE = PROJECT.matrix / "topologies.toml"

ROW = """
[[topology]]
id = "pair"
why = "two"
like = "h100"
world_size = 4
groups = [[0, 1], [2, 3]]
"""


def read(tmp_path: Path, text: str) -> dict[str, Case]:
    path = tmp_path / "topologies.toml"
    path.write_text(text, encoding="utf-8")
    return read_cases(path)


@pytest.mark.parametrize("case", read_cases(FILE).values(), ids=lambda case: case.id)
def test_a_case_survives_being_sent(case: Case) -> None:
    assert Case.from_dict(json.loads(json.dumps(case.as_dict()))) == case


def test_the_file_has_the_topologies_that_engines_have() -> None:
    """One group; two in one WORLD; one without rank 0; equal sizes and other members; …"""
    topologies = [case.topology for case in read_cases(FILE).values()]

    assert any(each.groups == ((0, 1, 2, 3),) for each in topologies)
    assert any(each.groups == ((0, 1), (2, 3)) and not each.moe_groups for each in topologies)
    assert any(each.groups == ((2, 3),) and each.world_size == 4 for each in topologies)
    assert any(each.moe_groups == ((0, 2), (1, 3)) for each in topologies)
    assert any(each.devices == (3, 2, 1, 0) for each in topologies)
    assert any(each.nodes == 2 for each in topologies)
    assert any(each.servers == 2 for each in topologies)
    assert {each.world_size for each in topologies} >= {2, 4, 8}


def test_experts_divided_both_ways_are_sliced_across_the_expert_groups(tmp_path: Path) -> None:
    """By hand: 0 and 2 hold different experts, as 1 and 3 do, so 0 and 1 share theirs."""
    text = ROW.replace("[[0, 1], [2, 3]]", "[[0, 1, 2, 3]]")
    text += "moe_groups = [[0, 1, 2, 3]]\nexpert_groups = [[0, 2], [1, 3]]\n"
    case = read(tmp_path, text)["pair"]

    assert case.topology.slices() == ((0, 1), (2, 3))
    assert case.is_for_few  # a consumer's choice of a group is the same on every upstream
    assert not read(tmp_path, ROW)["pair"].is_for_few


def test_a_trouble_is_one_case_for_one_rank_and_one_for_all(tmp_path: Path) -> None:
    text = f"""{ROW}
[[trouble]]
id = "bad"
why = "it is"
topology = "pair"
faults = ["create_raises"]
expects = ["create-failed"]
peers = ["peer-failed"]
"""
    cases = read(tmp_path, text)
    upstream = find_upstream("stub:v0_6_11", PROJECT)

    def expected(case: str) -> list[tuple[str, ...]]:
        return [cases[case].expected_reasons(rank, upstream) for rank in range(4)]

    assert list(cases) == ["pair", "bad_on_one", "bad_on_all"]
    assert expected("pair") == [(), (), (), ()]
    # Rank 1 is the last of the first group; the second group goes on undisturbed.
    assert expected("bad_on_one") == [("peer-failed",), ("create-failed",), (), ()]
    assert expected("bad_on_all") == [("create-failed", "peer-failed")] * 4
    assert cases["bad_on_one"].environment(0).faults == ()
    assert cases["bad_on_one"].environment(1).faults == ("create_raises",)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "no row"),
        (f'{ROW}alike = "h100"\n', "unknown key 'alike'"),
        (ROW.replace('like = "h100"\n', ""), "lacks 'like'"),
        (ROW.replace("world_size = 4", 'world_size = "4"'), "world_size is no whole number"),
        (ROW.replace("[[0, 1], [2, 3]]", "[0, 1]"), "groups is no list of lists of whole numbers"),
        (f'troubles = ["stub:v0_6_0"]\n{ROW}', "unknown key 'troubles'"),
        ("topology = 4", "topology is no list of tables"),
        (ROW.replace("[2, 3]", "[1, 3]"), "overlap"),
        (ROW.replace("[2, 3]", "[2, 4]"), "leave the world"),
        (ROW + ROW, "two of one name"),
        (ROW + '[[trouble]]\nid = "x"\nwhy = "y"\ntopology = "none"\n', "unknown topology"),
    ],
)
def test_a_bad_row_is_named(tmp_path: Path, text: str, problem: str) -> None:
    with pytest.raises(InvalidDataError, match=problem):
        read(tmp_path, text)
