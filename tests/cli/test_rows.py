"""Rows of ``matrix/`` that cannot be used: each is told in one line, never by a traceback."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from driftgate.environments import read_environments
from driftgate.errors import InvalidDataError
from driftgate.expectations import read_expectations
from driftgate.paths import Project, find_project
from driftgate.upstreams import find_upstream, upstream_names
from driftgate.vocabulary import FAULTS, REASONS
from flashinfer_comm_fusion.status import ReasonCode

STUBS = find_project(Path(__file__).parent).stubs
_ENVIRONMENT = {"id": '"h100"', "why": '"w"', "script": '"life"'}
_EXPECTATION = {
    "contract": '"c"',
    "consumer": '"*"',
    "upstream": '"stub:*"',
    "reason": '"r"',
    "link": '"l"',
    "expires": "2999-01-01",
}


def _rows(name: str, values: dict[str, str]) -> str:
    return f"[[{name}]]\n" + "".join(f"{key} = {value}\n" for key, value in values.items())


def _refused(error: InvalidDataError, path: Path, message: str) -> None:
    line = str(error)
    assert line.startswith(f"{path}: ")
    assert message in line
    assert "\n" not in line


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("environment = 5", "write [[environment]] rows"),
        ('environment = ["a"]', "write [[environment]] rows"),
        ("environment = {}", "write [[environment]] rows"),
        ("", "no [[environment]] row"),
        ("[[environments]]", "unknown key 'environments'"),
    ],
)
def test_environments_are_a_list_of_tables(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "environments.toml"
    path.write_text(text)

    with pytest.raises(InvalidDataError) as caught:
        read_environments(path)

    _refused(caught.value, path, message)


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("id", "[1]", "id is no text"),
        ("id", '""', "lacks 'id'"),
        ("group", "3", "group is no list of whole numbers"),
        ("group", '"01"', "group is no list of whole numbers"),
        ("group", '["a"]', "group is no list of whole numbers"),
        ("group", "[true]", "group is no list of whole numbers"),
        ("group", "[-1]", "not within the world's ranks"),
        ("group", "[4]", "not within the world's ranks"),
        ("group", "[1, 1]", "not within the world's ranks"),
        ("group", "[]", "not within the world's ranks"),
        ("sm", '"90"', "sm is no whole number"),
        ("sm", "90.0", "sm is no whole number"),
        ("hidden_dim", "0", "hidden_dim is not positive"),
        ("multicast", "1", "multicast is no switch"),
        ("only", '"stub:v*"', "only is no list of texts"),
        ("dtype", '"bf17"', "unknown dtype 'bf17'"),
        ("script", '"nosuch"', "unknown script 'nosuch'"),
        ("expects", '"nosuch"', "unknown expects 'nosuch'"),
        ("faults", '["nosuch"]', "unknown faults 'nosuch'"),
        ("colour", '"red"', "unknown key 'colour'"),
    ],
)
def test_a_value_of_an_environment_that_cannot_be(
    tmp_path: Path, key: str, value: str, message: str
) -> None:
    path = tmp_path / "environments.toml"
    path.write_text(_rows("environment", {**_ENVIRONMENT, key: value}))

    with pytest.raises(InvalidDataError) as caught:
        read_environments(path)

    _refused(caught.value, path, message)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("expect = 3", "write [[expect]] rows"),
        ("[[expected]]", "unknown key 'expected'"),
        *(
            (_rows("expect", {**_EXPECTATION, key: value}), message)
            for key, value, message in (
                ("expires", "2999-01-01T00:00:00", "expires is no date"),
                ("upstream", "7", "upstream is no text"),
                ("environment", '["h100"]', "environment is no text"),
                ("releases", "0.6", "releases is no text"),
                ("contract", '["x"]', "contract is no text"),
                ("link", '""', "lacks 'link'"),
            )
        ),
    ],
)
def test_an_expectation_that_cannot_be(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "expectations.toml"
    path.write_text(text)

    with pytest.raises(InvalidDataError) as caught:
        read_expectations(path, {"c"})

    _refused(caught.value, path, message)


def test_no_expectation_is_fine(tmp_path: Path) -> None:
    path = tmp_path / "expectations.toml"
    path.write_text("# nothing is broken\n")

    assert read_expectations(path, {"c"}) == ()


def test_the_words_are_those_of_the_module_and_of_the_core() -> None:
    """They are repeated so that nobody has to import torch for them."""
    core = (STUBS / "_core" / "driftgate_stub_core" / "settings.py").read_text(encoding="utf-8")
    (faults,) = (
        node.value.args[0]
        for node in ast.parse(core).body
        if isinstance(node, ast.Assign)
        and isinstance(node.value, ast.Call)
        and ast.unparse(node.targets[0]) == "FAULTS"
    )

    assert ast.literal_eval(faults) == FAULTS
    assert {code.value for code in ReasonCode} == REASONS


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('degraded = "x"', "degraded is no table of texts"),
        ("[degraded]\nh100 = 1", "degraded is no table of texts"),
        ('[degraded]\nh100 = "nosuch"', "unknown reason 'nosuch'"),
        ("stands_for = 7", "stands_for is no list of texts"),
        ('stands_for = "0.7.4"', "stands_for is no list of texts"),
        ('stands_for = ["newest"]', "'newest' is no version"),
        ('imagines = "i"\nbase = "v9"', "no shape is named 'v9'"),
        ('imagine = "i"', "unknown key 'imagine'"),
        ("behaviour = 1", "behaviour is no table"),
    ],
)
def test_a_shape_that_cannot_be(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "stubs" / "odd" / "shape.toml"
    path.parent.mkdir(parents=True)
    path.write_text(text)

    with pytest.raises(InvalidDataError) as caught:
        find_upstream("stub:odd", Project(tmp_path, tmp_path))

    _refused(caught.value, path, message)


def test_historic_shapes_are_those_that_stand_for_releases(tmp_path: Path) -> None:
    """Whatever they are called, they come first and in the order of the releases."""
    for name, text in {
        "v0_10": 'stands_for = ["0.10.0", "0.9.1"]',
        "v0_9": 'stands_for = ["0.9.0"]',
        "first": 'stands_for = ["0.1"]',
        "var_kwargs": 'imagines = "i"',
        "any": 'imagines = "i"',
    }.items():
        (tmp_path / "stubs" / name).mkdir(parents=True)
        (tmp_path / "stubs" / name / "shape.toml").write_text(text)

    shapes = ("first", "v0_9", "v0_10", "any", "var_kwargs")
    assert upstream_names(Project(tmp_path, tmp_path)) == [*(f"stub:{s}" for s in shapes), "absent"]
