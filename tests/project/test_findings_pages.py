"""The pages of docs/findings: ids that the code gives, commands that it takes. Nothing is run."""

from __future__ import annotations

import importlib
import re
import shlex
from pathlib import Path
from typing import Any

import pytest

from driftgate.cli import COMMANDS
from driftgate.contracts import all_rules, rank_rules
from driftgate.findings import Finding, finding_id
from driftgate.paths import find_project
from driftgate.ranks.cases import read_cases
from driftgate.released.rows import load_consumer_rows
from driftgate.surface.store import recorded_releases
from driftgate.upstreams import upstream_names

PROJECT = find_project(Path(__file__).parent)
FOLDER = PROJECT.root / "docs" / "findings"
PAGES = sorted(path for path in FOLDER.glob("*.md") if path.name != "README.md")
_NAMES = [path.stem for path in PAGES]


def _row(page: Path, name: str) -> str:
    """Return the first name in backquotes of a row of the page's table; empty for none."""
    found = re.search(rf"^\| {name} \| `([^`]+)`", page.read_text(encoding="utf-8"), re.MULTILINE)
    return found[1] if found else ""


def _command(page: Path) -> list[str]:
    """Return the words of the one command on a page."""
    (line,) = re.findall(r"^\$ (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return shlex.split(line)


def _parsed(page: Path) -> dict[str, Any]:
    """Return what the command line makes of the page's command."""
    program, name, *arguments = _command(page)
    assert program == "driftgate"
    assert name in COMMANDS
    command = importlib.import_module(f"driftgate.commands.{name}").command
    parameters: dict[str, Any] = command.make_context(name, arguments).params
    return parameters


@pytest.mark.parametrize("page", PAGES, ids=_NAMES)
def test_the_id_is_what_the_code_gives(page: Path) -> None:
    """It is worked out from the page's contract, symbol and place, and the command's consumer."""
    place = _row(page, "where")
    finding = Finding(_row(page, "contract"), "", "", _row(page, "symbol"), place)

    assert finding_id(_parsed(page)["consumer"], finding) == _row(page, "finding")


@pytest.mark.parametrize("page", PAGES, ids=_NAMES)
def test_the_command_asks_for_that_contract(page: Path) -> None:
    """The contract exists, and is all that the command judges."""
    contract = _row(page, "contract")

    assert contract in {*all_rules(), *rank_rules()}
    assert _parsed(page)["contracts"] == (contract,)


@pytest.mark.parametrize("page", PAGES, ids=_NAMES)
def test_the_command_names_what_there_is(page: Path) -> None:
    """A recorded release of the consumer, an upstream, and a topology where ranks are meant."""
    parameters = _parsed(page)
    project, _, release = parameters["consumer"].partition("==")
    (upstream,) = parameters["upstreams"]
    kind, _, version = upstream.partition(":")
    cases = read_cases(PROJECT.matrix / "topologies.toml")

    assert release in load_consumer_rows(PROJECT.matrix)[project].pins
    known = recorded_releases(PROJECT.surfaces) if kind == "wheel" else upstream_names(PROJECT)
    assert (version if kind == "wheel" else upstream) in known
    assert set(parameters.get("topologies", ())) <= set(cases)


@pytest.mark.parametrize("page", PAGES, ids=_NAMES)
def test_a_page_is_named_after_the_project_it_is_for(page: Path) -> None:
    assert page.stem.partition("-")[0] in {"sglang", "vllm", "flashinfer"}


def test_the_list_has_every_page() -> None:
    """And no page that is not there."""
    text = (FOLDER / "README.md").read_text(encoding="utf-8")
    listed = re.findall(r"^\| \[[\w.-]+\]\(([\w.-]+\.md)\)", text, re.MULTILINE)

    assert sorted(listed) == [page.name for page in PAGES]
