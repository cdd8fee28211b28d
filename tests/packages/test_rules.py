"""Each rule against the environment that breaks it and one that keeps it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from driftgate.packages.rules import all_rules
from driftgate.toml import read_toml
from packages.pretended import Pretended, breaches

if TYPE_CHECKING:
    from driftgate.packages.model import Breach

FIXTURES = Path(__file__).parents[1] / "fixtures" / "packages"


def found(rule: str, kind: str, monkeypatch: pytest.MonkeyPatch) -> list[Breach]:
    """What the rule says of its fixture's bad or good environment."""
    row: dict[str, Any] = read_toml(FIXTURES / f"{rule}.toml")
    index = Pretended()
    for release in row.get("release", ()):
        index.add(release)
    monkeypatch.chdir(FIXTURES)
    return breaches(rule, row[kind], index)


def test_every_rule_has_its_cases() -> None:
    """No rule without an environment that breaks it, and no case without a rule."""
    assert {path.stem for path in FIXTURES.glob("*.toml")} == set(all_rules())


@pytest.mark.parametrize("rule", list(all_rules()))
def test_the_bad_environment_is_caught(rule: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A rule finds what it is for, and says what to do about it."""
    told = found(rule, "bad", monkeypatch)

    assert told
    assert all(each.subject and each.expected and each.got and each.todo for each in told)


@pytest.mark.parametrize("rule", list(all_rules()))
def test_the_good_environment_passes(rule: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A rule judges an environment that keeps it, and finds nothing."""
    assert found(rule, "good", monkeypatch) == []
