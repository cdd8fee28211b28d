"""The contracts' page and their data."""

from __future__ import annotations

from pathlib import Path

import pytest

from driftgate.contracts import all_rules
from driftgate.environments import read_environments
from driftgate.paths import find_project
from driftgate.report.contracts import contracts_page

PROJECT = find_project(Path(__file__).parent)


def test_the_page_is_current() -> None:
    """What ``driftgate contracts --write docs/contracts.md`` writes is what is committed."""
    page = (PROJECT.root / "docs" / "contracts.md").read_text(encoding="utf-8")

    assert page == contracts_page(), "run: driftgate contracts --write docs/contracts.md"


@pytest.mark.parametrize("name", list(all_rules()))
def test_a_contract_is_judged_somewhere(name: str) -> None:
    """Each contract names environments that exist."""
    contract = all_rules()[name].contract
    environments = read_environments(PROJECT.matrix / "environments.toml")

    assert any(contract.applies_to(environment) for environment in environments.values())
    named = {pattern for pattern in contract.environments if "*" not in pattern}
    assert named <= environments.keys()
