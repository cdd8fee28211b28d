"""Rows of incidents: what is read of them, and what is said of those that cannot be used."""

from __future__ import annotations

from pathlib import Path

import pytest

from driftgate.backtest.model import Case, Question
from driftgate.backtest.rows import read_backtest
from driftgate.errors import InvalidDataError
from driftgate.paths import find_project

PROJECT = find_project(Path(__file__).parent)

CELL = 'consumer = "ours", upstream = "stub:v0_6_12", environment = "h100"'
PROOF = f"""
[[incident.proof]]
contract = "group_sent"
bad = {{ {CELL} }}
good = {{ {CELL} }}
"""
HEAD = '[[incident]]\nid = "A1"\nwhat = "it hangs"\n'


def _read(folder: Path, text: str) -> object:
    path = folder / "incidents.toml"
    path.write_text(text, encoding="utf-8")
    return read_backtest(path, PROJECT)


def test_a_row_is_read(tmp_path: Path) -> None:
    """A proof has two cases, each a question; the same question is asked once."""
    path = tmp_path / "incidents.toml"
    path.write_text(HEAD + 'refs = ["a#1"]\n' + PROOF, encoding="utf-8")

    backtest = read_backtest(path, PROJECT)

    (incident,) = backtest.incidents
    assert (incident.id, incident.what, incident.refs) == ("A1", "it hangs", ("a#1",))
    cell = {"consumer": "ours", "upstream": "stub:v0_6_12", "environment": "h100"}
    assert incident.proofs[0].bad.as_dict() == cell
    assert backtest.questions() == [Question("group_sent", Case(tuple(cell.items())))]


def test_a_control_asks_for_every_contract(tmp_path: Path) -> None:
    """Where a control names no contract, all of them must be kept."""
    path = tmp_path / "incidents.toml"
    case = 'case = { consumer = "ours", old = "0.6.0", new = "0.6.1" }'
    path.write_text(f'[[control]]\nid = "c"\nwhat = "w"\n{case}\n', encoding="utf-8")

    (control,) = read_backtest(path, PROJECT).controls

    assert control.question.contract == "*"
    assert str(control.question.case) == "ours x 0.6.0 x 0.6.1"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "no [[incident]] and no [[control]] row"),
        ("x = 1", "unknown key 'x'"),
        ("incident = 3", "no list of tables"),
        (HEAD, "must have one of"),
        (HEAD + 'missed = "why"\n' + PROOF, "must have one of"),
        ('[[incident]]\nwhat = "w"\nmissed = "m"', "lacks 'id'"),
        (HEAD + "missed = 3", "missed is no text"),
        (2 * (HEAD + 'missed = "m"\n'), "two rows are named 'A1'"),
        (HEAD + "proof = 3", "incident 'A1': proof is no list of tables; write [[incident.proof]]"),
        (HEAD + PROOF.replace("group_sent", "group_snt"), "group_sent"),
        (HEAD + PROOF.replace("environment", "environs"), "cannot have the keys"),
        (HEAD + PROOF.replace('"h100"', "3"), "environment is no text"),
        (HEAD + PROOF + 'abuot = "x"', "unknown key 'abuot'"),
    ],
)
def test_bad_rows_are_told_in_one_line(tmp_path: Path, text: str, told: str) -> None:
    """What is wrong, where, and what to do."""
    with pytest.raises(InvalidDataError) as error:
        _read(tmp_path, text)

    assert told in str(error.value)
    assert str(tmp_path) in str(error.value)
    assert "\n" not in str(error.value)


def test_the_projects_own_rows_can_be_read() -> None:
    """Every row of the matrix names contracts and cases that there are."""
    backtest = read_backtest(PROJECT.matrix / "incidents.toml", PROJECT)

    assert backtest.incidents
    assert backtest.controls
